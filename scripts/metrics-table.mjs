/**
 * Lists the metrics that `src` declares by calls of `Metrics.counter`, `gauge` and `histogram`. A class
 * may also declare gauges by its own method, if the arguments are the name and the help text; their
 * labels are those of the call of `gauge` in that method.
 */
import { readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import ts from 'typescript';

const KINDS = new Set(['counter', 'gauge', 'histogram']);
const NAME = /^[a-z]+(_[a-z]+)+$/;

/** Returns `{ name, kind, labels, help }` of each metric, sorted by the exported name. */
export function declaredMetrics(root) {
  const found = new Map();
  const source = path.join(root, 'src');
  for (const file of readdirSync(source, { recursive: true }).filter((one) =>
    one.endsWith('.ts'),
  )) {
    const text = readFileSync(path.join(source, file), 'utf8');
    if (!text.includes('/metrics')) continue;
    const parsed = ts.createSourceFile(file, text, ts.ScriptTarget.Latest);
    const labelsBy = methodLabels(parsed);
    visit(parsed, (call) => {
      const metric = metricOf(call, labelsBy);
      if (metric !== undefined) found.set(metric.name, metric);
    });
  }
  return [...found.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
}

function visit(node, report) {
  if (ts.isCallExpression(node)) report(node);
  ts.forEachChild(node, (child) => visit(child, report));
}

/** By the name of each method that declares a gauge under a name which it is given: its labels. */
function methodLabels(source) {
  const found = new Map();
  const look = (node) => {
    if (ts.isMethodDeclaration(node)) {
      visit(node, (call) => {
        const [name, , labels] = call.arguments;
        if (calleeOf(call) === 'gauge' && name !== undefined && ts.isIdentifier(name)) {
          found.set(node.name.getText(source), labelsOf(labels));
        }
      });
    }
    ts.forEachChild(node, look);
  };
  look(source);
  return found;
}

function calleeOf(call) {
  return ts.isPropertyAccessExpression(call.expression) ? call.expression.name.text : '';
}

function metricOf(call, labelsBy) {
  const callee = calleeOf(call);
  const at = call.arguments.findIndex((one) => ts.isStringLiteralLike(one) && NAME.test(one.text));
  const help = call.arguments[at + 1];
  if (at === -1 || help === undefined || !ts.isStringLiteralLike(help)) return undefined;
  const name = call.arguments[at].text;
  const kind = KINDS.has(callee) ? callee : 'gauge';
  return {
    name: `colloquy_${name}`,
    kind,
    labels: labelsBy.get(callee) ?? labelsOf(call.arguments[at + 2]),
    help: help.text,
  };
}

function labelsOf(argument) {
  if (argument === undefined || !ts.isArrayLiteralExpression(argument)) return [];
  return argument.elements.filter((one) => ts.isStringLiteralLike(one)).map(({ text }) => text);
}
