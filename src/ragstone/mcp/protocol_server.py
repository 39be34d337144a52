"""The server of the official SDK: tools and resources, each call with the rights of its caller."""

import asyncio
from collections.abc import Callable, Coroutine, Mapping
from typing import Any, TypeVar

import anyio
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.shared.exceptions import MCPError
from mcp_types import (
    INVALID_PARAMS,
    CallToolRequestParams,
    CallToolResult,
    ListResourcesResult,
    ListResourceTemplatesResult,
    ListToolsResult,
    PaginatedRequestParams,
    ReadResourceRequestParams,
    ReadResourceResult,
    Resource,
    ResourceTemplate,
    TextContent,
    TextResourceContents,
    Tool,
    ToolAnnotations,
)
from starlette.requests import Request

from ragstone.core.spans import open_span
from ragstone.core.version import __version__
from ragstone.mcp import documents, tools
from ragstone.mcp.addresses import TEMPLATE
from ragstone.mcp.arguments import describe_arguments
from ragstone.mcp.desk import Caller, Desk
from ragstone.mcp.engine_thread import EngineThread
from ragstone.mcp.errors import describe_error
from ragstone.mcp.masking import mask_text
from ragstone.mcp.pages import dump_json

R = TypeVar("R")
Context = ServerRequestContext[Any, Any]
TOOL_SPAN = {"gen_ai.operation.name": "execute_tool"}
CANCELLED = "cancelled: the caller is gone"


class ProtocolServer:
    """Answers the protocol's requests by the engines of the caller that `find_caller` names."""

    def __init__(
        self,
        engines: EngineThread,
        find_caller: Callable[[Request | None], Caller],
        *,
        read_only: bool,
        allow_adding: bool = False,
    ):
        self._engines = engines
        self._find_caller = find_caller
        self._read_only = read_only
        self._allow_adding = allow_adding
        self.server: Server[Any] = Server(
            "ragstone",
            version=__version__,
            title="Ragstone",
            instructions=tools.INSTRUCTIONS,
            on_list_tools=self._list_tools,
            on_call_tool=self._call_tool,
            on_list_resources=self._list_resources,
            on_list_resource_templates=self._list_templates,
            on_read_resource=self._read_resource,
        )

    def _make_desk(self, context: Context, report: Callable[[str], None] = lambda _message: None) -> Desk:
        return Desk(self._engines.pool, self._find_caller(context.request), self._read_only, report, self._allow_adding)

    async def _list_tools(self, context: Context, _: PaginatedRequestParams | None) -> ListToolsResult:
        found = await self._run(tools.list_tools(self._make_desk(context)))
        return ListToolsResult(tools=[_describe_tool(tool) for tool in found])

    async def _call_tool(self, context: Context, params: CallToolRequestParams) -> CallToolResult:
        """The result of a tool, or its error; the work ends when the caller cancels or is gone."""
        loop, steps = asyncio.get_running_loop(), asyncio.Queue[str]()

        def report(message: str) -> None:  # on the engines' thread
            loop.call_soon_threadsafe(steps.put_nowait, message)

        result = _make_error(CANCELLED)
        async with anyio.create_task_group() as group:
            group.start_soon(_send_progress, context, steps)
            if context.request is not None:
                group.start_soon(_watch_connection, context.request, group.cancel_scope)
            desk = self._make_desk(context, report)
            try:
                with open_span("execute_tool", TOOL_SPAN, carrier=_find_caller_trace(context, params)) as span:
                    data = await self._engines.run(tools.call_tool(desk, params.name, params.arguments or {}))
                    span.set("gen_ai.tool.name", params.name)  # now it is known to be one
                text = TextContent(type="text", text=dump_json(data))
                result = CallToolResult(content=[text], structured_content=data)
            except Exception as error:  # the last door: a model gets a sentence
                result = _make_error(describe_error(error))
            group.cancel_scope.cancel()
        return result

    async def _list_resources(self, context: Context, params: PaginatedRequestParams | None) -> ListResourcesResult:
        cursor = params.cursor if params is not None else None
        page, after = await self._run(documents.list_documents(self._make_desk(context), cursor))
        shown = [
            Resource(
                uri=address,
                name=mask_text(document.path),
                title=mask_text(document.title) if document.title else None,
                mime_type=documents.find_text_type(document),
            )
            for address, document in page
        ]
        return ListResourcesResult(resources=shown, next_cursor=after)

    async def _list_templates(self, _context: Context, _: PaginatedRequestParams | None) -> ListResourceTemplatesResult:
        template = ResourceTemplate(
            uri_template=TEMPLATE,
            name="document",
            title="Document",
            description="The text of a document, by collection, source and path; #L10 begins at line 10.",
        )
        return ListResourceTemplatesResult(resource_templates=[template])

    async def _read_resource(self, context: Context, params: ReadResourceRequestParams) -> ReadResourceResult:
        text, kind = await self._run(documents.read_document(self._make_desk(context), params.uri))
        return ReadResourceResult(contents=[TextResourceContents(uri=params.uri, text=text, mime_type=kind)])

    async def _run(self, work: Coroutine[Any, Any, R]) -> R:
        """Run work for a request that has no result for errors: they become errors of the protocol."""
        try:
            return await self._engines.run(work)
        except Exception as error:
            raise MCPError(code=INVALID_PARAMS, message=describe_error(error)) from error


def _find_caller_trace(context: Context, params: CallToolRequestParams) -> Mapping[str, str]:
    """The headers that name the caller's trace; where the message itself does, the SDK has read it."""
    request = context.request
    if request is None or "traceparent" in (params.meta or {}):
        return {}
    return {name: request.headers[name] for name in ("traceparent", "tracestate") if name in request.headers}


def _make_error(text: str) -> CallToolResult:
    return CallToolResult(content=[TextContent(type="text", text=text)], is_error=True)


def _describe_tool(tool: tools.Tool) -> Tool:
    return Tool(
        name=tool.name,
        title=tool.title,
        description=tool.description,
        input_schema=describe_arguments(tool.arguments),
        output_schema=tool.output,
        annotations=ToolAnnotations(
            read_only_hint=not tool.writes,
            destructive_hint=tool.writes,
            idempotent_hint=True if tool.writes else None,  # for a tool that only reads it means nothing
            open_world_hint=False,
        ),
    )


async def _send_progress(context: Context, steps: asyncio.Queue[str]) -> None:
    done = 0
    while True:
        message = await steps.get()
        done += 1
        await context.session.report_progress(done, None, message)


async def _watch_connection(request: Request, scope: anyio.CancelScope) -> None:
    """Cancel when the connection of a request ends: its body was read before."""
    while (await request.receive())["type"] != "http.disconnect":
        pass
    scope.cancel()
