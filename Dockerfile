# ImpactBench without torch, which only models that run in the same process need.
#   docker build --tag impactbench .
#   docker run --rm --volume "$PWD:/work" --env OPENAI_API_KEY impactbench run --help

FROM python:3.11-slim AS build
COPY setup.cfg pyproject.toml README.md LICENSE LICENSE-CC-BY-4.0 schema.yaml uv-overrides.txt /source/
COPY benchmarks /source/benchmarks
COPY prompts /source/prompts
COPY run_entries /source/run_entries
COPY helm_impactbench /source/helm_impactbench
RUN python -m venv /opt/impactbench \
    && python -m venv /opt/uv \
    && /opt/uv/bin/pip install --no-cache-dir "uv>=0.9,<1" \
    && /opt/uv/bin/uv pip install --no-cache --python /opt/impactbench/bin/python --compile-bytecode \
        --override /source/uv-overrides.txt /source

FROM python:3.11-slim
COPY --from=build /opt/impactbench /opt/impactbench
RUN useradd --create-home --uid 1000 impactbench \
    && mkdir /work \
    && chown impactbench /work
ENV PATH=/opt/impactbench/bin:$PATH
USER 1000
WORKDIR /work
ENTRYPOINT ["impactbench"]
CMD ["--help"]
