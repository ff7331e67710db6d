"""Products under test as deployments of HELM's, by their names.

A product.yaml in `prod_env/products/` is a deployment of the name that it gives, in helm-run and in all of our
commands. `impactbench run --models product.yaml` puts a copy there, so that the same run entries work again. Installed
packages bring products through the entry-point group `helm_impactbench.targets`: a description as a mapping, the path
of a product.yaml, or a function.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from datetime import date
from pathlib import Path
from typing import Any

from helm.benchmark.model_deployment_registry import (
    DEPLOYMENT_NAME_TO_MODEL_DEPLOYMENT,
    ClientSpec,
    ModelDeployment,
    register_model_deployment,
)
from helm.benchmark.model_metadata_registry import (
    MODEL_NAME_TO_MODEL_METADATA,
    ModelMetadata,
    register_model_metadata,
)

from helm_impactbench.errors import MissingKeyError, ModelError, SettingError
from helm_impactbench.files.atomic_write import write_whole
from helm_impactbench.files.extensions import extensions
from helm_impactbench.files.field_faults import kind_of
from helm_impactbench.llm.connection import expanded
from helm_impactbench.study.model import Study
from helm_impactbench.targets.description import Product, checked_product, is_product_file, read_product

FOLDER = "products"
"""Inside prod_env."""
GROUP = "targets"
CLIENT = "helm_impactbench.helm.product_client.ProductClient"
_COPIED = "# A copy of {path}, as impactbench run took it. Change that file, and not this one.\n"
_MARK = _COPIED.partition("{")[0]
_PRODUCTS: dict[str, Product] = {}


def product_of(deployment: str) -> Product | None:
    """Return the product that a deployment is; None for a model."""
    return _PRODUCTS.get(deployment)


def register_products(local_path: Path) -> None:
    """Make the products of installed packages and of `local_path` known to HELM. Raises SettingError.

    Harmless when repeated.
    """
    for name, brought in extensions(GROUP):
        register_product(_brought(name, brought))
    for path in sorted((local_path / FOLDER).glob("*.y*ml")):
        register_product(read_product(path))


def register_product(product: Product) -> None:
    """Make a product known. Raises SettingError for the name of a model."""
    name = product.name
    known = name in DEPLOYMENT_NAME_TO_MODEL_DEPLOYMENT
    if known and name not in _PRODUCTS:
        raise SettingError(f"A model is called {name} already. Give the product another name in its product.yaml.")
    _PRODUCTS[name] = product
    if known:
        return
    if name not in MODEL_NAME_TO_MODEL_METADATA:
        register_model_metadata(_metadata(product))
    register_model_deployment(
        ModelDeployment(name=name, model_name=name, client_spec=ClientSpec(CLIENT, args={"product": name}))
    )


def _metadata(product: Product) -> ModelMetadata:
    maker, _, name = product.name.partition("/")
    return ModelMetadata(
        name=product.name,
        creator_organization_name=maker,
        display_name=name,
        description="A product, tested as its users meet it.",
        access="limited",
        release_date=date(2026, 11, 1),
        tags=[],
    )


def _brought(name: str, brought: Any) -> Product:
    """Return the product that a package brings under a name. Raises SettingError."""
    where = f"the entry point {name!r} of helm_impactbench.{GROUP}"
    if isinstance(brought, Mapping):
        return checked_product({"name": name, **brought}, where)
    if isinstance(brought, str | Path):
        return read_product(Path(brought))
    if isinstance(brought, Callable):  # type: ignore[arg-type]
        path = f"{brought.__module__}:{brought.__qualname__}"
        return checked_product({"name": name, "callable": path}, where)
    raise SettingError(f"{where} {kind_of(brought)}; it must be a mapping, a path or a function.")


def check_product(product: Product, role: str) -> None:
    """Raise ModelError unless a product can be called in a role, and its variables are set. Makes no call."""
    if role != "target":
        raise ModelError(
            f"The {role} {product.name} is a product. A product can be tested, and cannot be the {role}: name a model."
        )
    from helm_impactbench.targets.talk import is_stateful  # with httpx, which no run without a product waits for

    try:
        expanded(product.headers)
        is_stateful(product)
    except MissingKeyError as error:
        raise MissingKeyError(f"The target {product.name}: {error}") from error
    except ModelError as error:
        raise ModelError(f"The target {product.name}: {error}") from error


def with_products(study: Study, local_path: Path, *, write: bool) -> Study:
    """Return a study in which products stand by their names in place of their files, and make them known.

    write: keep copies where the helm-run finds them. Raises SettingError.
    """
    names = {one.name: _taken(Path(one.name), local_path, write) for one in study.tested if is_product_file(one.name)}
    if not names:
        return study
    tested = tuple(one.model_copy(update={"name": names.get(one.name, one.name)}) for one in study.tested)
    prices = {names.get(name, name): price for name, price in study.prices.items()}
    return study.model_copy(update={"tested": tested, "prices": prices})


def _taken(path: Path, local_path: Path, write: bool) -> str:
    """Return the name of the product in a file, which is known from now on."""
    product = read_product(path)
    kept = _kept(product.name, local_path)
    if write and path.resolve().parent != kept.parent.resolve():
        if kept.exists() and not kept.read_text("utf-8").startswith(_MARK):
            raise SettingError(f"{path} and {kept} both describe {product.name}. Delete one, or give it another name.")
        kept.parent.mkdir(parents=True, exist_ok=True)
        write_whole(kept, _COPIED.format(path=path) + path.read_text("utf-8"))
    register_product(product)
    return product.name


def file_of(name: str, local_path: Path) -> Path | None:
    """Return the product.yaml that a user changes: what a copy in `local_path` was made of.

    None where there is none, as of a product that a package brings.
    """
    kept = _kept(name, local_path)
    if not kept.is_file():
        return None
    first = kept.read_text("utf-8").partition("\n")[0]
    before, after = _COPIED.splitlines()[0].split("{path}")
    return Path(first.removeprefix(before).removesuffix(after)) if first.startswith(before) else kept


def _kept(name: str, local_path: Path) -> Path:
    return local_path / FOLDER / f"{name.replace('/', '_')}.yaml"


def products() -> Iterator[Product]:
    """Yield the products that are known."""
    yield from _PRODUCTS.values()
