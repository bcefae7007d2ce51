import type { Dashboard, Panel, Unit } from './queries';
import type { Series } from './prometheus-server';

/** What one query of a panel returned. */
export interface Curve {
  readonly name: string;
  readonly points: readonly (readonly [atS: number, value: number])[];
}

const COLUMNS = 3;
const PANEL = { width: 400, height: 230, gap: 12 };
const PLOT = { left: 52, top: 38, width: 334, height: 120 };
const HEADER = 44;
const MOST_NAMED = 6;
const COLOURS = [
  '#2a6f97',
  '#c1666b',
  '#5f8d4e',
  '#d4a017',
  '#7d5ba6',
  '#3a8f8a',
  '#9a6b4f',
  '#6c757d',
];

/** The finite values of a query's series, each with its legend. */
export function curvesOf(legend: string, found: readonly Series[]): Curve[] {
  return found.flatMap(({ metric, values }) => {
    const name = legend.replaceAll(/\{\{(\w+)\}\}/g, (_, label: string) => metric[label] ?? '');
    const points = values
      .map(([atS, value]) => [atS, Number(value)] as const)
      .filter(([, value]) => Number.isFinite(value));
    return points.length === 0 ? [] : [{ name, points }];
  });
}

/** A dashboard as an SVG, drawn from what Prometheus returned for its queries. */
export function dashboardSvg(
  dashboard: Dashboard,
  curves: ReadonlyMap<Panel, readonly Curve[]>,
): string {
  const { panels, title } = dashboard;
  const rows = Math.ceil(panels.length / COLUMNS);
  const width = COLUMNS * (PANEL.width + PANEL.gap) + PANEL.gap;
  const height = HEADER + rows * (PANEL.height + PANEL.gap);
  const drawn = panels.map((panel, n) => {
    const x = PANEL.gap + (n % COLUMNS) * (PANEL.width + PANEL.gap);
    const y = HEADER + Math.floor(n / COLUMNS) * (PANEL.height + PANEL.gap);
    return `<g transform="translate(${String(x)} ${String(y)})">${panelSvg(panel, curves.get(panel) ?? [])}</g>`;
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${String(width)} ${String(height)}" font-family="system-ui, sans-serif" font-size="11">
<rect width="100%" height="100%" fill="#f4f4f2"/>
<text x="${String(PANEL.gap)}" y="28" font-size="18" font-weight="600" fill="#222">${escaped(title)}</text>
${drawn.join('\n')}
</svg>
`;
}

function panelSvg({ title, unit }: Panel, curves: readonly Curve[]): string {
  const points = curves.flatMap((curve) => curve.points);
  const times = points.map(([atS]) => atS);
  const [from, to] = [Math.min(...times), Math.max(...times)];
  const top = Math.max(0, ...points.map(([, value]) => value)) || 1;
  const xOf = (atS: number): number => PLOT.left + (PLOT.width * (atS - from)) / (to - from || 1);
  const yOf = (value: number): number => PLOT.top + PLOT.height * (1 - Math.max(0, value) / top);
  const lines = curves.map(({ points: own }, n) => {
    const at = own.map(([atS, value]) => `${xOf(atS).toFixed(1)},${yOf(value).toFixed(1)}`);
    return `<polyline points="${at.join(' ')}" fill="none" stroke="${colourOf(n)}" stroke-width="1.5"/>`;
  });
  return `<rect width="${String(PANEL.width)}" height="${String(PANEL.height)}" rx="6" fill="#fff" stroke="#ddd"/>
<text x="12" y="22" font-size="13" font-weight="600" fill="#222">${escaped(title)}</text>
${gridSvg(top, unit)}${lines.join('')}${legendSvg(curves)}`;
}

function gridSvg(top: number, unit: Unit): string {
  const lines = [0, 0.5, 1].map((share) => {
    const y = String(PLOT.top + PLOT.height * (1 - share));
    const right = String(PLOT.left + PLOT.width);
    return `<line x1="${String(PLOT.left)}" x2="${right}" y1="${y}" y2="${y}" stroke="#e6e6e6"/>
<text x="${String(PLOT.left - 6)}" y="${y}" dy="4" text-anchor="end" fill="#666">${shown(top * share, unit)}</text>`;
  });
  return lines.join('');
}

function legendSvg(curves: readonly Curve[]): string {
  const named = curves.slice(0, MOST_NAMED).map(({ name }, n) => {
    const x = String(12 + (n % 2) * 194);
    const y = String(PLOT.top + PLOT.height + 24 + Math.floor(n / 2) * 15);
    return `<text x="${x}" y="${y}" fill="${colourOf(n)}">${escaped(name.slice(0, 27))}</text>`;
  });
  const others = curves.length - named.length;
  const rest =
    others > 0
      ? `<text x="388" y="22" text-anchor="end" fill="#888">and ${String(others)} more</text>`
      : '';
  return named.join('') + rest;
}

function colourOf(n: number): string {
  return COLOURS[n % COLOURS.length] ?? '#000';
}

function shown(value: number, unit: Unit): string {
  switch (unit) {
    case 's':
      return value >= 1 || value === 0 ? `${short(value)} s` : `${short(value * 1000)} ms`;
    case 'percentunit':
      return `${short(value * 100)} %`;
    case 'bytes':
      return `${short(value / 1024 ** 2)} MB`;
    case 'currencyUSD':
      return `$${String(Number(value.toPrecision(2)))}`;
    case 'short':
    case 'reqps':
    case 'opm':
      return short(value);
  }
}

function short(value: number): string {
  return String(Number(value >= 100 ? value.toFixed(0) : value.toPrecision(2)));
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
