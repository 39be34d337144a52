"""The endpoints, one module for each family."""

from starlette.convertors import StringConvertor, register_url_convertor


class NameConvertor(StringConvertor):
    """A name in a path, which may have slashes: `a%2Fb` comes as `a/b`."""

    regex = ".+"


register_url_convertor("any", NameConvertor())
