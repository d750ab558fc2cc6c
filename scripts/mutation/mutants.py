"""Small wrong changes to a module: what a slip of the keyboard or of thought would do.

A comparison is moved by one or turned round, `and` becomes `or`, a condition is always or never
true, a number is one more, a sign is swapped, a statement is left out.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

Place = tuple[str, int]
"""Field of the parent and index in it (-1: the field itself)."""

_COMPARISONS: dict[type[ast.cmpop], tuple[type[ast.cmpop], ...]] = {
    ast.Lt: (ast.LtE, ast.GtE),
    ast.LtE: (ast.Lt, ast.Gt),
    ast.Gt: (ast.GtE, ast.LtE),
    ast.GtE: (ast.Gt, ast.Lt),
    ast.Eq: (ast.NotEq,),
    ast.NotEq: (ast.Eq,),
    ast.Is: (ast.IsNot,),
    ast.IsNot: (ast.Is,),
    ast.In: (ast.NotIn,),
    ast.NotIn: (ast.In,),
}
_ARITHMETIC: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Div,
    ast.Div: ast.Mult,
    ast.FloorDiv: ast.Mult,
}
_LEFT_OUT = (ast.Assign, ast.AugAssign, ast.Expr, ast.Raise, ast.Delete)


@dataclass(frozen=True, slots=True)
class Mutant:
    """One wrong version of a module."""

    line: int
    before: str  # the piece of code ...
    after: str  # ... and what it has become
    source: str  # the whole module

    def __str__(self) -> str:
        return f"line {self.line}: {_short(self.before)}  ->  {_short(self.after)}"


def mutants(source: str) -> Iterator[Mutant]:
    """All mutants of a module, each with one change. Comments are lost in them: lines are told by
    number. A line that ends in `# no mutant: WHY` is left alone."""
    tree = ast.parse(source)
    exempt = {n for n, line in enumerate(source.splitlines(), 1) if "# no mutant: " in line}
    for parent, place, node in _code(tree):
        if node.lineno in exempt:
            continue
        for changed in _changes(node):
            before = ast.unparse(node)
            _put(parent, place, changed)
            yield Mutant(node.lineno, before, ast.unparse(changed), ast.unparse(tree) + "\n")
            _put(parent, place, node)


def _code(tree: ast.AST) -> Iterator[tuple[ast.AST, Place, ast.expr | ast.stmt]]:
    """Every expression and statement inside functions and methods, with its place. Annotations,
    decorators and docstrings are no code, and what stands outside functions is mostly tables."""
    for function in ast.walk(tree):
        if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef):
            for index, statement in enumerate(function.body):
                if not isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef):
                    yield from _below(function, ("body", index), statement)


def _below(
    parent: ast.AST, place: Place, node: ast.AST
) -> Iterator[tuple[ast.AST, Place, ast.expr | ast.stmt]]:
    if isinstance(node, ast.expr | ast.stmt):
        yield parent, place, node
    for name, value in ast.iter_fields(node):
        if name in {"annotation", "returns", "decorator_list", "type_params"}:
            continue
        children = value if isinstance(value, list) else [value]
        for index, child in enumerate(children):
            nested = isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef)  # comes by itself
            if isinstance(child, ast.AST) and not nested:
                yield from _below(node, (name, index if isinstance(value, list) else -1), child)


def _put(parent: ast.AST, place: Place, node: ast.AST) -> None:
    name, index = place
    if index < 0:
        setattr(parent, name, node)
    else:
        getattr(parent, name)[index] = node


def _changes(node: ast.expr | ast.stmt) -> Iterator[ast.expr | ast.stmt]:
    match node:
        case ast.Compare():
            yield from _other_comparisons(node)
        case ast.BoolOp(operator, values):
            yield ast.BoolOp(ast.And() if isinstance(operator, ast.Or) else ast.Or(), values)
        case ast.UnaryOp(ast.Not(), operand):
            yield operand
        case ast.BinOp(left, operator, right) if type(operator) in _ARITHMETIC:
            yield ast.BinOp(left, _ARITHMETIC[type(operator)](), right)
        case ast.Constant(value=bool(value)):
            yield ast.Constant(not value)
        case ast.Constant(value=int() | float() as value):
            yield ast.Constant(value + 1)
        case ast.If(_, body, orelse) | ast.While(_, body, orelse):
            if isinstance(node, ast.If):  # a `while True` would only hang
                yield ast.If(ast.Constant(True), body, orelse)
            yield type(node)(ast.Constant(False), body, orelse)
        case ast.IfExp(_, body, orelse):
            yield body
            yield orelse
        case ast.Expr(ast.Constant() | ast.Yield() | ast.YieldFrom()):
            return  # docstrings, `...`; a generator without a yield would be none
        case _ if isinstance(node, _LEFT_OUT):
            yield ast.copy_location(ast.Pass(), node)


def _other_comparisons(node: ast.Compare) -> Iterator[ast.Compare]:
    for n, operator in enumerate(node.ops):
        for other in _COMPARISONS[type(operator)]:
            operators = [*node.ops[:n], other(), *node.ops[n + 1 :]]
            yield ast.Compare(node.left, operators, node.comparators)


def _short(code: str) -> str:
    first, *more = code.splitlines()
    return f"{first} ..." if more else first
