"""The HTTP server: requests become calls of the library, results become JSON, streams and pages."""

from pydantic import BaseModel

# FastAPI makes the models of OpenAPI when it is imported, a tenth of a second of each start. Pydantic builds them when
# /v1/openapi.json is asked for, which most servers never are.
BaseModel.model_config["defer_build"] = True
try:
    import fastapi  # noqa: F401
finally:
    del BaseModel.model_config["defer_build"]
