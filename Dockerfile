# Ragstone as a server: no compiler, no root, nothing is downloaded at the start. docs/how-to/deploy.md says how to use it.
ARG BASE=python:3.13-slim
FROM ${BASE} AS build
WORKDIR /src
COPY pyproject.toml README.md LICENSE NOTICE ./
COPY src src
RUN python -m venv /opt/ragstone \
 && /opt/ragstone/bin/pip install --no-cache-dir --disable-pip-version-check ".[server,mcp,postgres,openai,otel]"

FROM ${BASE}
RUN useradd --uid 10001 --no-create-home --home-dir /data ragstone \
 && install -d -o ragstone -g ragstone /data /keys
COPY --from=build /opt/ragstone /opt/ragstone
ENV PATH=/opt/ragstone/bin:$PATH \
    RAGSTONE_STORE=embedded:/data/store \
    RAGSTONE_SERVE__LISTEN_ADDRESS=0.0.0.0 \
    RAGSTONE_SERVE__UPLOADS=/data/uploads
USER 10001
WORKDIR /data
VOLUME /data
EXPOSE 8080
HEALTHCHECK --interval=3s --timeout=5s --start-period=60s \
    CMD ["python", "-c", "import urllib.request; urllib.request.urlopen('http://127.0.0.1:8080/v1/ready', timeout=4)"]
ENTRYPOINT ["ragstone"]
CMD ["serve"]
