"""Settings of the HTTP server."""

from dataclasses import dataclass
from typing import Annotated

from ragstone.config.model_settings import check_bounds
from ragstone.config.validation import BYTES, MANY, Option
from ragstone.core.errors import ConfigError


@dataclass(frozen=True, slots=True)
class ServeSettings:
    """How `ragstone serve` listens, and how much it takes on."""

    listen_address: Annotated[str, Option("Address to listen on; unix:PATH for a Unix socket.", not_blank=True)] = (
        "127.0.0.1"
    )
    port: Annotated[int, Option("Port to listen on; 0 takes a free one.", 0, 65_535)] = 8080
    cert_file: Annotated[str | None, Option("Certificate chain for HTTPS, a PEM file.")] = None
    key_file: Annotated[str | None, Option("Private key of the certificate, a PEM file.")] = None
    allowed_origins: Annotated[tuple[str, ...], Option("Origins of pages that may call it (CORS); * for all.")] = ()
    allowed_hosts: Annotated[tuple[str, ...], Option("Names by which clients call it; * for all.")] = ()
    workers: Annotated[int, Option("Number of processes.", 1, 64)] = 1
    concurrency: Annotated[int, Option("Questions that a process works on at once.", 1, 10_000)] = 8
    queue_size: Annotated[int, Option("Questions that wait in a process.", 0, MANY)] = 64
    queue_wait: Annotated[
        float | None,
        Option("Seconds that a question may wait [default: half the time that questions take of late].", 0, 3600),
    ] = None
    rate: Annotated[int | None, Option("Requests a minute that a key may make to a process.", 1, MANY)] = None
    jobs: Annotated[int, Option("Ingestion jobs that may wait or run, of all tenants.", 0, MANY)] = 1000
    job_workers: Annotated[int, Option("Jobs that a process works on at once; 0 only accepts them.", 0, 64)] = 1
    job_tries: Annotated[int, Option("Tries of a job before it is dead.", 1, 100)] = 5
    job_pause: Annotated[float, Option("Seconds before a job's second try; doubled each time.", 0, 3600)] = 2.0
    job_lease: Annotated[float, Option("Seconds after which a killed server's job is tried again.", 1, 3600)] = 30.0
    body_bytes: Annotated[int, Option("Largest request body, in bytes.", 1, BYTES)] = 1_000_000
    upload_bytes: Annotated[int, Option("Largest uploaded document, in bytes.", 1, BYTES)] = 200_000_000
    uploads: Annotated[str | None, Option("Folder for uploads [default: beside an embedded store].")] = None
    heartbeat: Annotated[float, Option("Seconds between the heartbeats of a stream.", 0.05, 3600)] = 15.0
    start_wait: Annotated[
        float, Option("Seconds to wait at the start for a store that does not answer yet.", 0, 3600)
    ] = 30.0
    drain: Annotated[float, Option("Seconds that running requests may take after a signal to stop.", 0, 3600)] = 30.0

    def __post_init__(self) -> None:
        check_bounds(self)
        if bool(self.cert_file) != bool(self.key_file):
            raise ConfigError("HTTPS needs both cert_file and key_file")


@dataclass(frozen=True, slots=True)
class TraceSettings:
    """Traces for OpenTelemetry, of servers; the variables OTEL_… of its SDK count too."""

    export: Annotated[
        bool | None, Option("Send traces [default: where `endpoint` or an OTEL_ variable names a receiver].")
    ] = None
    endpoint: Annotated[str | None, Option("Receiver of OTLP over HTTP [default: OTEL_EXPORTER_OTLP_ENDPOINT].")] = None

    def __post_init__(self) -> None:
        check_bounds(self)
        if self.endpoint is not None and not self.endpoint.startswith(("http://", "https://")):
            raise ConfigError("invalid traces.endpoint: expected a URL such as http://localhost:4318")


@dataclass(frozen=True, slots=True)
class LogSettings:
    """The lines of JSON that tell of each question and each request."""

    queries: Annotated[bool | None, Option("A line for each question, on stderr [default: servers only].")] = None
    questions: Annotated[bool, Option("Log the question's text too, secrets masked.")] = False
    requests: Annotated[bool, Option("A line for each request to a server, on stderr.")] = True

    def __post_init__(self) -> None:
        check_bounds(self)
