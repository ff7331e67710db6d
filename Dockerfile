# ImpactBench without torch, which only models that run in the same process need. Every package comes with its hashes from
# locks/; for the base image too, give its digest: --build-arg PYTHON=python:3.11-slim@sha256:...
#   docker build --tag impactbench .
#   docker run --rm --volume "$PWD:/work" --env OPENAI_API_KEY impactbench run --help

ARG PYTHON=python:3.11-slim
FROM ${PYTHON} AS build
COPY setup.cfg pyproject.toml README.md LICENSE LICENSE-CC-BY-4.0 schema.yaml /source/
COPY locks /source/locks
COPY benchmarks /source/benchmarks
COPY prompts /source/prompts
COPY run_entries /source/run_entries
COPY helm_impactbench /source/helm_impactbench
RUN python -m venv /opt/impactbench \
    && python -m venv /opt/uv \
    && /opt/uv/bin/pip install --no-cache-dir --require-hashes --requirement /source/locks/uv.txt \
    && /opt/uv/bin/uv pip install --no-cache --python /opt/impactbench/bin/python --compile-bytecode \
        --no-deps --require-hashes --requirement /source/locks/run.txt \
    && /opt/uv/bin/uv pip install --no-cache --python /opt/impactbench/bin/python --compile-bytecode \
        --no-deps --no-build-isolation /source

FROM ${PYTHON}
COPY --from=build /opt/impactbench /opt/impactbench
RUN useradd --create-home --uid 1000 impactbench \
    && mkdir /work \
    && chown impactbench /work
ENV PATH=/opt/impactbench/bin:$PATH
USER 1000
WORKDIR /work
ENTRYPOINT ["impactbench"]
CMD ["--help"]
