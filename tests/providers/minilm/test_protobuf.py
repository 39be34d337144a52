import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragstone.providers.minilm.protobuf import encode_field, encode_message, read_fields

numbers = st.integers(min_value=1, max_value=2**20)
values = st.one_of(st.integers(min_value=0, max_value=2**63 - 1), st.binary(max_size=200))


def test_a_worked_example_of_the_format_comes_out_byte_for_byte() -> None:
    # 150 in field 1 and "testing" in field 2: the examples of the format's own description.
    assert encode_field(1, 150) == bytes.fromhex("089601")
    assert encode_field(2, "testing") == bytes.fromhex("120774657374696e67")
    assert encode_field(1, -1) == b"\x08" + b"\xff" * 9 + b"\x01"
    assert encode_field(2, 1.0) == bytes.fromhex("150000803f")


@settings(max_examples=100, deadline=None)
@given(st.lists(st.tuples(numbers, values), max_size=20))
def test_what_is_written_is_read_again(parts: list[tuple[int, int | bytes]]) -> None:
    read = [
        (number, v if isinstance(v, int) else bytes(v)) for number, v in read_fields(memoryview(encode_message(*parts)))
    ]
    assert read == parts


@settings(max_examples=200, deadline=None)
@given(st.binary(max_size=60))
def test_any_bytes_are_read_or_refused(data: bytes) -> None:
    try:
        total = sum(len(value) for _, value in read_fields(memoryview(data)) if not isinstance(value, int))
    except ValueError:
        return
    assert total <= len(data)


@pytest.mark.parametrize("data", [b"\x80", b"\x0a\x05ab", b"\x08" + b"\xff" * 11, b"\x0d\x00", b"\x0b"])
def test_a_message_that_ends_too_early_is_refused(data: bytes) -> None:
    with pytest.raises(ValueError, match="end"):
        list(read_fields(memoryview(data)))
