import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { parse } from 'yaml';
import { DASHBOARDS } from '../../tools/dashboards/dashboards';
import { grafanaJson } from '../../tools/dashboards/grafana';

const ROOT = path.join(__dirname, '..', '..');
const FOLDER = path.join(ROOT, 'deploy', 'monitoring');

interface Alert {
  readonly alert: string;
  readonly expr: string;
  readonly labels: { readonly severity: string };
  readonly annotations: { readonly runbook_url: string };
}

function read(...place: string[]): string {
  return readFileSync(path.join(ROOT, ...place), 'utf8');
}

function alerts(): Alert[] {
  const { groups } = parse(read('deploy/monitoring/alerts.yml')) as {
    groups: { rules: Alert[] }[];
  };
  return groups.flatMap(({ rules }) => rules);
}

/** The metrics of Colloquy in a query, as the code declares them. */
function metricsIn(expr: string): string[] {
  const names = expr.match(/\bcolloquy_\w+/g) ?? [];
  return names.map((name) => name.replace(/_(bucket|count|sum)$/, ''));
}

/** docs/metrics.md is made from the code, and `npm run check` compares them. */
const DECLARED = new Set(
  [...read('docs/metrics.md').matchAll(/^\| `(\w+)` \|/gm)].map(([, name]) => name),
);

test('every alert has a section in the runbook with its name, and every section has an alert', () => {
  const sections = [...read('docs/runbook.md').matchAll(/^## (\w+)$/gm)].map(([, name]) => name);

  expect(sections).toEqual(alerts().map(({ alert }) => alert));
  for (const { alert, annotations, labels } of alerts()) {
    expect(annotations.runbook_url).toBe(`docs/runbook.md#${alert.toLowerCase()}`);
    expect(['page', 'ticket']).toContain(labels.severity);
  }
});

test('every alert is shown to fire by a test of promtool', () => {
  const { tests } = parse(read('deploy/monitoring/alerts.test.yml')) as {
    tests: { name: string; promql_expr_test: { expr: string }[] }[];
  };
  const shown = tests.flatMap(({ name, promql_expr_test: [first] }) =>
    first?.expr.includes(`alertname="${name}"`) === true ? [name] : [],
  );

  expect(shown).toEqual(alerts().map(({ alert }) => alert));
});

test('alerts and dashboards ask only for metrics that the code declares', () => {
  const queries = DASHBOARDS.flatMap(({ panels }) => panels.flatMap((panel) => panel.queries));
  const asked = [...alerts(), ...queries].flatMap(({ expr }) => metricsIn(expr));

  expect(asked.length).toBeGreaterThan(60);
  expect(asked.filter((name) => !DECLARED.has(name))).toEqual([]);
});

test('the files of the dashboards are those that `npm run dashboards` writes', () => {
  const folder = path.join(FOLDER, 'grafana', 'dashboards');

  expect(readdirSync(folder).sort()).toEqual(DASHBOARDS.map(({ uid }) => `${uid}.json`).sort());
  for (const dashboard of DASHBOARDS) {
    expect(readFileSync(path.join(folder, `${dashboard.uid}.json`), 'utf8')).toBe(
      grafanaJson(dashboard),
    );
  }
});

const hasPromtool = spawnSync('promtool', ['--version']).status === 0;
// Of the package prometheus; where it is required, its tests fail instead of being skipped.
const isRequired = process.env['COLLOQUY_TEST_PROMTOOL'] === 'required';
const withPromtool = hasPromtool || isRequired ? test : test.skip;

withPromtool.each([
  ['check', 'rules', 'alerts.yml'],
  ['test', 'rules', 'alerts.test.yml'],
  ['check', 'config', '--syntax-only', 'prometheus.yml'],
])('promtool %s %s accepts the files (skipped where promtool is missing)', (...args) => {
  const output = execFileSync('promtool', args, { cwd: FOLDER, encoding: 'utf8' });

  expect(output).toContain('SUCCESS');
});
