"""Turns Jinja2 into a language that cannot take long, fill the memory or look around; source layer.

Everything that could do so goes through the budget of the filling: loops, filters, calls, sums,
lists that are written out, and all that is said. Nothing is worked out while compiling.
"""

from __future__ import annotations

import json
from functools import cache
from typing import TYPE_CHECKING, cast

from jinja2 import StrictUndefined, nodes, pass_context
from jinja2.filters import make_attrgetter
from jinja2.sandbox import ImmutableSandboxedEnvironment
from jinja2.visitor import NodeTransformer

from k3mock.scenario.budget import Budget, TemplateError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from jinja2 import Template
    from jinja2.runtime import Context

BUDGET = "budget!"
"""What the budget is called among the values; no template can write this name."""

MAX_SOURCE = 100_000

_WITHOUT = ("center", "format", "indent", "pprint", "striptags", "urlize", "wordwrap", "xmlattr")
"""Filters whose costs depend on more than the size of what they are given."""

_WIDE = frozenset({"batch", "round", "slice", "tojson", "truncate"})
_MAX_WIDTH = 10_000

_OF_TEXTS = frozenset({
    "capitalize", "casefold", "count", "endswith", "find", "index", "isalnum", "isalpha", "isascii",
    "isdecimal", "isdigit", "isidentifier", "islower", "isnumeric", "isprintable", "isspace",
    "istitle", "isupper", "join", "lower", "lstrip", "partition", "removeprefix", "removesuffix",
    "replace", "rfind", "rindex", "rpartition", "rsplit", "rstrip", "split", "splitlines",
    "startswith", "strip", "swapcase", "title", "upper",
})  # fmt: skip
"""Methods of texts; the others can ask for any amount of memory."""


class Sandbox(ImmutableSandboxedEnvironment):
    """Books what templates do."""

    intercepted_binops = frozenset({"+", "-", "*", "/", "//", "%", "**"})

    def call_binop(self, context: Context, operator: str, left: object, right: object) -> object:
        budget = _budget(context)
        budget.work()
        _may(budget, operator, left, right)
        return budget.checked(super().call_binop(context, operator, left, right))

    def call(
        __self,  # noqa: N805
        __context: Context,  # noqa: PYI063
        __obj: object,
        *args: object,
        **kwargs: object,
    ) -> object:
        """Call what a template calls."""
        budget = _budget(__context)
        budget.work()
        budget.checked((*args, *kwargs.values()))
        text = getattr(__obj, "__self__", None)
        if isinstance(text, str) and args:
            name = getattr(__obj, "__name__", "")
            if name == "join":
                return budget.joined(text, cast("Iterable[object]", args[0]))
            if name == "replace":
                _may_replace(budget, text, *args)
        return budget.checked(super().call(__context, __obj, *args, **kwargs))

    def is_safe_attribute(self, obj: object, attr: str, value: object) -> bool:
        if isinstance(obj, str):
            return attr in _OF_TEXTS
        plain = isinstance(obj, bytes | int | float | complex)
        return not plain and super().is_safe_attribute(obj, attr, value)


def _budget(context: Context) -> Budget:
    return cast("Budget", context.resolve(BUDGET))


def _may(budget: Budget, operator: str, left: object, right: object) -> None:
    """Refuse an operation before it is too late."""
    match operator:
        case "+":
            sizes = [len(each) for each in (left, right) if isinstance(each, str | list | tuple)]
            budget.multiplied(sum(sizes), 1)
        case "*":
            for many, times in ((left, right), (right, left)):
                if isinstance(many, str | list | tuple) and isinstance(times, int):
                    budget.multiplied(len(many), times)
        case "**":
            if isinstance(left, int) and isinstance(right, int):
                budget.multiplied(left.bit_length() * 4000, abs(right))
        case "%" if isinstance(left, str):
            # A width in a format could ask for any amount of memory.
            raise TemplateError("the operation '%' is not for texts; '~' joins them")
        case _:
            pass


def _may_replace(budget: Budget, text: str, old: object, new: object = "", *more: object) -> None:
    del more
    grows = max(0, len(str(new)) - len(str(old)))
    budget.multiplied(len(text) + text.count(str(old)) * grows, 1)


@pass_context
def _said(context: Context, value: object) -> str:
    """Book what a template says, or keeps in a block."""
    text = str(value)
    _budget(context).write(len(text))
    return text


@pass_context
def _each(context: Context, items: Iterable[object]) -> Iterator[object]:
    budget = _budget(context)
    for item in items:
        budget.step()
        yield item


@pass_context
def _sized(context: Context, value: object) -> object:
    budget = _budget(context)
    budget.work()
    return budget.checked(value)


@pass_context
def _concat(context: Context, items: Iterable[object]) -> str:
    return _budget(context).joined("", items)


@pass_context
def _join(
    context: Context, items: Iterable[object], d: object = "", attribute: str | int | None = None
) -> str:
    if attribute is not None:
        items = map(make_attrgetter(context.environment, attribute), items)
    return _budget(context).joined(d, items)


@pass_context
def _sum(
    context: Context,
    items: Iterable[object],
    attribute: str | int | None = None,
    start: object = 0,
) -> object:
    if attribute is not None:
        items = map(make_attrgetter(context.environment, attribute), items)
    total = start
    for item in items:
        total = cast("Sandbox", context.environment).call_binop(context, "+", total, item)
    return total


@pass_context
def _random(context: Context, items: Iterable[object]) -> object:
    """Draw an item: the same request draws the same."""
    known = list(items)
    if not known:
        return context.environment.undefined("there is no item to draw")
    return _budget(context).chance().choice(known)


@pass_context
def _replace(context: Context, text: object, old: object, new: object, *count: int) -> str:
    _may_replace(_budget(context), str(text), old, new)
    return str(text).replace(str(old), str(new), *count)


def _tojson(value: object, indent: int | None = None) -> str:
    """Write JSON as it is, without the escapes for HTML that Jinja2's own filter makes."""
    separators = (",", ":") if indent is None else (",", ": ")
    width = None if indent is None else min(indent, 16)
    return json.dumps(value, ensure_ascii=False, indent=width, separators=separators)


def _guarded(name: str, original: Callable[..., object]) -> Callable[..., object]:
    """Return a filter that books what it does."""
    passed = getattr(original, "jinja_pass_arg", None)
    wanted = "" if passed is None else passed.name

    @pass_context
    def guarded(context: Context, *args: object, **more: object) -> object:
        budget = _budget(context)
        budget.work()
        widths = [each for each in (*args[1:], *more.values()) if isinstance(each, int)]
        if name in _WIDE and any(abs(each) > _MAX_WIDTH for each in widths):
            raise TemplateError(f"the filter {name!r} takes numbers up to {_MAX_WIDTH}")
        first = {
            "": (), "context": (context,), "eval_context": (context.eval_ctx,),
            "environment": (context.environment,),
        }[wanted]  # fmt: skip
        return budget.checked(original(*first, *args, **more))

    return guarded


class _Booked(NodeTransformer):
    """Puts filters around what costs something and is none itself."""

    def visit(self, node: nodes.Node, *_args: object, **_more: object) -> nodes.Node:
        self.generic_visit(node)
        match node:
            case nodes.TemplateData():
                # Text of the template counts as any other: a loop says it over and over.
                return nodes.Const(node.data, lineno=node.lineno)
            case nodes.For():
                node.iter = _through("each!", node.iter)
                return node
            case nodes.Concat():
                return _through("concat!", nodes.Tuple(node.nodes, "load", lineno=node.lineno))
            case nodes.List() | nodes.Dict() | nodes.Tuple(ctx="load"):
                return _through("sized!", node)
            case nodes.Getitem(arg=nodes.Slice()):
                return _through("sized!", node)
            case _:
                return node


def _through(name: str, node: nodes.Node) -> nodes.Filter:
    return nodes.Filter(cast("nodes.Expr", node), name, [], [], None, None, lineno=node.lineno)


@cache
def environment() -> Sandbox:
    """Return the environment of all templates."""
    made = Sandbox(
        undefined=StrictUndefined, keep_trailing_newline=True, autoescape=False, optimized=False,
        finalize=_said,
    )  # fmt: skip
    for name in _WITHOUT:
        del made.filters[name]
    del made.globals["lipsum"]
    made.filters |= {"replace": _replace, "join": _join, "sum": _sum, "random": _random}
    made.filters["tojson"] = _tojson
    made.filters |= {name: _guarded(name, each) for name, each in made.filters.items()}
    made.filters |= {"each!": _each, "sized!": _sized, "concat!": _concat}
    return made


def compiled(text: str) -> Template:
    """Compile a template."""
    tree = environment().parse(text)
    _Booked().visit(tree)
    return environment().from_string(tree)
