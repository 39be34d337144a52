"""Settings of a vendor's model become the way to it: address, key, headers, times."""

from ragstone.config import vendors
from ragstone.config.load import read_api_key
from ragstone.config.model_settings import EmbedSettings, LlmSettings, RerankSettings, SparseSettings
from ragstone.core.errors import ConfigError
from ragstone.providers.endpoint import Endpoint


def make_endpoint(
    group: str,
    wanted: LlmSettings | EmbedSettings | RerankSettings | SparseSettings,
    vendor: vendors.Vendor,
    *,
    offline: bool = False,
    total: float | None = None,
    bounded_by: str | None = None,
) -> Endpoint:
    """The way to a vendor; `group` is where the settings stand. `total` bounds all attempts for a group that has no
    such setting, `bounded_by` names the one behind it.

    Raises `ConfigError` for an invalid address, and for one that `offline` keeps out of reach.
    """
    key, lacking = None, None
    try:
        key = read_api_key(group, wanted, vendor.variable)
    except ConfigError as error:  # said when the key is needed: searching by words is not
        lacking = str(error)
    seconds = total if isinstance(wanted, RerankSettings) else wanted.total
    assert seconds is not None  # such a group comes with a time
    reach = Endpoint(
        vendor,
        group,
        base_url=wanted.base_url,
        key=key,
        lacking=lacking,
        headers=wanted.headers,
        timeout=wanted.timeout,
        total=seconds,
        retries=wanted.retries,
        bounded_by=bounded_by,
    ).validate()
    if offline and not reach.is_local:
        raise ConfigError(
            f"{group}.model {wanted.model!r} is at {reach.host}, and offline is true: name one on this machine"
        )
    return reach
