# Examboard's dashboard on port 8501, with its store in /store. compose.yaml puts it behind nginx, with sign-in.
#
#     docker build -t examboard .                                                              1.1 GB
#     docker run --rm -p 127.0.0.1:8501:8501 -v store:/store examboard                         to look, read-only
#     docker run --rm -v store:/store -v "$PWD:/data:ro" examboard examboard import /data      any command
#     docker build -t examboard:cuda --build-arg GRADER=cuda .                                 grades, too; 6 GB
#
# `make container-check` builds this file on Debian's packages, without a daemon, and asks the dashboard how it is.
# Not tried: the published image debian:trixie-slim itself, Docker's own builder, and a GPU (it takes `--gpus all`).
FROM debian:trixie-slim

RUN apt-get update \
    && DEBIAN_FRONTEND=noninteractive apt-get install --yes --no-install-recommends ca-certificates make python3-venv \
    && rm -rf /var/lib/apt/lists/* \
    && useradd --create-home --uid 1000 examboard \
    && install --directory --owner examboard /store

WORKDIR /app
COPY . .
# "cuda" or nothing: torch with CUDA, and transformers.
ARG GRADER=
RUN case "$GRADER" in ""|cuda) ;; *) echo "GRADER is cuda or empty, not $GRADER" >&2; exit 1 ;; esac \
    && make .venv/serving SERVING="serve${GRADER:+,grader}" \
    && .venv/bin/python -m compileall -q app.py exam_core pages \
    && rm -rf /root/.cache

ENV PATH=/app/.venv/bin:$PATH EXAMBOARD_STORE=/store
USER examboard
VOLUME /store
EXPOSE 8501
HEALTHCHECK --start-period=60s CMD ["python", "-c", "import urllib.request as r; r.urlopen('http://127.0.0.1:8501/healthz')"]
CMD ["sh", "-c", "examboard demo && exec examboard serve --read-only --address 0.0.0.0"]
