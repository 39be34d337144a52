"""A gRPC server that speaks Qdrant's protocol, keeps what it heard, and fails when told to.

Requests are carried out by the client's own local mode or, in `engine.py`, by Qdrant's engine, so that what is sent and
what comes back go through the real messages.
"""

import threading
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import grpc
from qdrant_client import QdrantClient, models
from qdrant_client import grpc as wire
from qdrant_client.conversions.conversion import GrpcToRest, RestToGrpc

Fault = tuple[grpc.StatusCode, bool]  # what is answered, and whether the request was carried out before
VERSION = "1.20.1"


@dataclass(frozen=True, slots=True)
class Call:
    """A request as it came: method, message, metadata."""

    method: str
    request: Any
    metadata: Mapping[str, str]


@dataclass(slots=True)
class Recorder:
    """A running server. `fault` is asked before each call; `api_key` is what a caller must show; of a batch only the
    first `cut` operations are carried out."""

    port: int = 0
    calls: list[Call] = field(default_factory=list)
    fault: Callable[[str], Fault | None] = lambda method: None
    api_key: str | None = None
    version: str = VERSION
    cut: int | None = None
    inner: Any = field(default_factory=lambda: QdrantClient(":memory:"))
    lock: threading.Lock = field(default_factory=threading.Lock)

    def url(self, ledger: Path, more: str = "", *, host: str = "127.0.0.1", scheme: str = "qdrant") -> str:
        """The URL of a store here with an embedded ledger in this folder."""
        return f"{scheme}://{host}:{self.port}?ledger=embedded:{ledger}{more}"

    def methods(self) -> list[str]:
        """What was called, in order."""
        return [call.method for call in self.calls]

    def handle(self, method: str, work: Callable[[Any], Any], request: Any, context: grpc.ServicerContext) -> Any:
        """One request: kept, refused or carried out."""
        metadata = {key: str(value) for key, value in context.invocation_metadata()}
        with self.lock:
            self.calls.append(Call(method, request, metadata))
            if self.api_key is not None and metadata.get("api-key") != self.api_key:
                context.abort(grpc.StatusCode.UNAUTHENTICATED, "Must provide an API key")
            fault = self.fault(method)
            if fault is not None and not fault[1]:
                context.abort(fault[0], "told to fail")
            try:
                answer = work(request)
            except ValueError as error:
                code = grpc.StatusCode.NOT_FOUND if "not found" in str(error) else grpc.StatusCode.INVALID_ARGUMENT
                context.abort(code, str(error))
            if fault is not None:
                context.abort(fault[0], "told to fail after the work")
            return answer

    # What the methods do

    def collection_exists(self, request: Any) -> Any:
        found = self.inner.collection_exists(request.collection_name)
        return wire.CollectionExistsResponse(result=wire.CollectionExists(exists=found))

    def create(self, request: Any) -> Any:
        self.inner.create_collection(
            request.collection_name,
            vectors_config=GrpcToRest.convert_vectors_config(request.vectors_config),
            sparse_vectors_config=GrpcToRest.convert_sparse_vector_config(request.sparse_vectors_config),
        )
        return wire.CollectionOperationResponse(result=True)

    def collections(self, request: Any) -> Any:
        held = self.inner.get_collections().collections
        return wire.ListCollectionsResponse(collections=[wire.CollectionDescription(name=one.name) for one in held])

    def get_collection(self, request: Any) -> Any:
        info = self.inner.get_collection(request.collection_name)
        return wire.GetCollectionInfoResponse(result=RestToGrpc.convert_collection_info(info))

    def index(self, request: Any) -> Any:
        if not isinstance(self.inner, QdrantClient):  # which has no indexes
            params = request.field_index_params
            schema = GrpcToRest.convert_payload_schema_params(params)
            self.inner.create_payload_index(request.collection_name, request.field_name, schema)
        return _updated()

    def upsert(self, request: Any) -> Any:
        points = [GrpcToRest.convert_point_struct(point) for point in request.points]
        self.inner.upsert(request.collection_name, points)
        return _updated()

    def delete(self, request: Any) -> Any:
        self.inner.delete(request.collection_name, GrpcToRest.convert_points_selector(request.points))
        return _updated()

    def update_vectors(self, request: Any) -> Any:
        points = [GrpcToRest.convert_point_vectors(point) for point in request.points]
        self.inner.update_vectors(request.collection_name, points)
        return _updated()

    def update_batch(self, request: Any) -> Any:
        operations = [GrpcToRest.convert_points_update_operation(one) for one in request.operations]
        self.inner.batch_update_points(request.collection_name, operations[: self.cut])
        if self.cut is not None:
            raise ValueError("told to stop within a batch")
        return wire.UpdateBatchResponse(result=[_updated().result for _ in operations])

    def scroll(self, request: Any) -> Any:
        records, following = self.inner.scroll(
            request.collection_name,
            scroll_filter=_filter(request),
            limit=request.limit,
            offset=GrpcToRest.convert_point_id(request.offset) if request.HasField("offset") else None,
            order_by=GrpcToRest.convert_order_by(request.order_by) if request.HasField("order_by") else None,
            with_payload=GrpcToRest.convert_with_payload_interface(request.with_payload),
            with_vectors=GrpcToRest.convert_with_vectors_selector(request.with_vectors),
        )
        answer = wire.ScrollResponse(result=[RestToGrpc.convert_record(record) for record in records])
        if following is not None:
            answer.next_page_offset.CopyFrom(RestToGrpc.convert_extended_point_id(following))
        return answer

    def get(self, request: Any) -> Any:
        records = self.inner.retrieve(
            request.collection_name,
            ids=[GrpcToRest.convert_point_id(one) for one in request.ids],
            with_payload=GrpcToRest.convert_with_payload_interface(request.with_payload),
            with_vectors=GrpcToRest.convert_with_vectors_selector(request.with_vectors),
        )
        return wire.GetResponse(result=[RestToGrpc.convert_record(record) for record in records])

    def count(self, request: Any) -> Any:
        found = self.inner.count(request.collection_name, count_filter=_filter(request))
        return wire.CountResponse(result=wire.CountResult(count=found.count))

    def query(self, request: Any) -> Any:
        asked = GrpcToRest.convert_query_points(request)
        params = {} if isinstance(self.inner, QdrantClient) else {"search_params": asked.params}  # it has no index
        found = self.inner.query_points(
            request.collection_name,
            **params,
            prefetch=asked.prefetch,
            query=asked.query,
            using=asked.using,
            query_filter=asked.filter,
            limit=asked.limit or 10,
            with_payload=asked.with_payload or False,
            with_vectors=asked.with_vector or False,
        )
        return wire.QueryResponse(result=[RestToGrpc.convert_scored_point(one) for one in found.points])

    def health(self, request: Any) -> Any:
        return wire.HealthCheckReply(title="qdrant - vector search engine", version=self.version)


def _filter(request: Any) -> models.Filter | None:
    return GrpcToRest.convert_filter(request.filter) if request.HasField("filter") else None


def _updated() -> Any:
    return wire.PointsOperationResponse(result=wire.UpdateResult(operation_id=0, status=wire.UpdateStatus.Completed))


METHODS: Mapping[str, Mapping[str, tuple[str, Any]]] = {
    "qdrant.Qdrant": {"HealthCheck": ("health", wire.HealthCheckRequest)},
    "qdrant.Collections": {
        "CollectionExists": ("collection_exists", wire.CollectionExistsRequest),
        "Create": ("create", wire.CreateCollection),
        "List": ("collections", wire.ListCollectionsRequest),
        "Get": ("get_collection", wire.GetCollectionInfoRequest),
    },
    "qdrant.Points": {
        "CreateFieldIndex": ("index", wire.CreateFieldIndexCollection),
        "Upsert": ("upsert", wire.UpsertPoints),
        "Delete": ("delete", wire.DeletePoints),
        "UpdateVectors": ("update_vectors", wire.UpdatePointVectors),
        "UpdateBatch": ("update_batch", wire.UpdateBatchPoints),
        "Scroll": ("scroll", wire.ScrollPoints),
        "Get": ("get", wire.GetPoints),
        "Count": ("count", wire.CountPoints),
        "Query": ("query", wire.QueryPoints),
    },
}


def _handler(recorder: Recorder, service: str) -> grpc.GenericRpcHandler:
    def one(method: str, verb: str, request: Any) -> Any:
        work = getattr(recorder, verb)
        return grpc.unary_unary_rpc_method_handler(
            lambda message, context: recorder.handle(method, work, message, context),
            request_deserializer=request.FromString,
            response_serializer=lambda message: message.SerializeToString(),
        )

    handlers = {name: one(name, verb, request) for name, (verb, request) in METHODS[service].items()}
    return grpc.method_handlers_generic_handler(service, handlers)


@contextmanager
def serving(
    *, recorder: Recorder | None = None, credentials: grpc.ServerCredentials | None = None
) -> Iterator[Recorder]:
    """A server on a free port of this machine, or on the one that a recorder had before."""
    made = recorder or Recorder()
    options = [("grpc.max_receive_message_length", -1), ("grpc.max_send_message_length", -1), ("grpc.so_reuseport", 0)]
    server = grpc.server(ThreadPoolExecutor(max_workers=4), options=options)
    server.add_generic_rpc_handlers([_handler(made, service) for service in METHODS])
    address = f"127.0.0.1:{made.port}"
    made.port = server.add_secure_port(address, credentials) if credentials else server.add_insecure_port(address)
    server.start()
    try:
        yield made
    finally:
        server.stop(None).wait()
