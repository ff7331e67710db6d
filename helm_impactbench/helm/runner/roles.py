"""The models of a helm-run, made known before its workers are forked: those under test, and those asked first."""

from __future__ import annotations

from collections.abc import Sequence

from helm.benchmark.run_spec import RunSpec

from helm_impactbench.helm.own_names import REHEARSAL_PREFIX
from helm_impactbench.helm.run_specs import ConversationRunSpec, judges_asked
from helm_impactbench.llm.batch.deferred_call import judges_deferred
from helm_impactbench.llm.limits.circuit import circuit
from helm_impactbench.llm.limits.probe import begin_probes, probes_wanted
from helm_impactbench.process.shared_state import TARGETS
from helm_impactbench.results.references import references


def begin_roles(specs: Sequence[RunSpec]) -> None:
    """Make the models of these runs known. Raises SettingError."""
    own = [spec for spec in specs if isinstance(spec, ConversationRunSpec)]
    targets = dict.fromkeys(str(spec.adapter_spec.model_deployment) for spec in own)
    users = dict.fromkeys(str(spec.scenario_spec.args["user"]) for spec in own if spec.scenario_spec.args.get("user"))
    judges = dict.fromkeys(judge for spec in own for judge in judges_asked(spec.annotators))
    bots = references(targets)
    TARGETS.begin(name for name in targets if name not in bots)
    asked_now = {} if judges_deferred() else judges
    real = [name for name in {**targets, **users, **judges} if not name.startswith(REHEARSAL_PREFIX)]
    for name in real:
        circuit(name)
    first = [name for name in real if name in {**targets, **users, **asked_now}]
    begin_probes(first if probes_wanted() else (), [*asked_now])
