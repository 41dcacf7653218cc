# pseudovoice in a container: docker build -t pseudovoice . && docker run --rm pseudovoice --help
# The steps are tested without an engine: tests/requirements/test_container.py runs them.

FROM python:3.11-slim AS build
WORKDIR /build
COPY requirements/build.lock requirements/build.lock
RUN pip install --no-cache-dir --require-hashes --only-binary :all: -r requirements/build.lock
COPY pyproject.toml README.md CHANGELOG.md CITATION.cff LICENSE ./
COPY src src
RUN pip wheel --no-cache-dir --no-deps --no-build-isolation --wheel-dir wheels .

FROM python:3.11-slim
WORKDIR /install
COPY requirements/run.lock requirements/run.lock
RUN pip install --no-cache-dir --require-hashes --only-binary :all: -r requirements/run.lock
COPY --from=build /build/wheels wheels
RUN pip install --no-cache-dir --no-deps --no-index --find-links wheels pseudovoice
# Nobody needs to be root to change voices. Models are kept in the cache: mount a volume there.
RUN useradd --uid 1000 --create-home pseudovoice && install -d -o pseudovoice /cache /data
ENV PSEUDOVOICE_CACHE=/cache
USER pseudovoice
WORKDIR /data
ENTRYPOINT ["pseudovoice"]
CMD ["--help"]
