/** A chart of the bench `growth` as SVG: time by number of messages, both on logarithmic scales. */
import type { StoredResult } from './stored-results';

const WIDTH = 860;
const HEIGHT = 460;
const PLOT = { left: 64, right: 560, top: 48, bottom: 404 };
const LINES = [
  '#2563eb',
  '#db2777',
  '#059669',
  '#d97706',
  '#7c3aed',
  '#0891b2',
  '#dc2626',
  '#65a30d',
];
/** The least distance of two names. */
const NAME_HEIGHT = 17;

interface Line {
  readonly name: string;
  readonly points: readonly { readonly messages: number; readonly ms: number }[];
}

const MEDIAN = /^(.+), median, ([\d.]+) ([kM])$/;

/** The medians of each operation that has one at two sizes at least. */
export function linesOf({ figures }: StoredResult): Line[] {
  const lines = new Map<string, { messages: number; ms: number }[]>();
  for (const { name, value } of figures) {
    const match = MEDIAN.exec(name);
    if (match === null || typeof value !== 'number') continue;
    const [, operation = '', count, unit] = match;
    const messages = Number(count) * (unit === 'M' ? 1e6 : 1e3);
    lines.set(operation, [...(lines.get(operation) ?? []), { messages, ms: value }]);
  }
  return [...lines]
    .map(([name, points]) => ({ name, points }))
    .filter(({ points }) => points.length > 1);
}

/** Readable on a light and on a dark page. */
export function growthChart(result: StoredResult): string {
  const lines = linesOf(result);
  const all = lines.flatMap(({ points }) => points);
  const span = (values: readonly number[]): readonly [number, number] => [
    Math.floor(Math.log10(Math.min(...values))),
    Math.ceil(Math.log10(Math.max(...values))),
  ];
  const [x0, x1] = span(all.map(({ messages }) => messages));
  const [y0, y1] = span(all.map(({ ms }) => ms));
  const x = (messages: number): number =>
    PLOT.left + ((Math.log10(messages) - x0) / (x1 - x0)) * (PLOT.right - PLOT.left);
  const y = (ms: number): number =>
    PLOT.bottom - ((Math.log10(ms) - y0) / (y1 - y0)) * (PLOT.bottom - PLOT.top);
  const powers = (from: number, to: number): number[] =>
    Array.from({ length: to - from + 1 }, (_, n) => 10 ** (from + n));
  const grid = [
    ...powers(y0, y1).map(
      (ms) =>
        `<line class="grid" x1="${PLOT.left}" x2="${PLOT.right}" y1="${at(y(ms))}" y2="${at(y(ms))}"/>` +
        `<text x="${PLOT.left - 8}" y="${at(y(ms) + 4)}" text-anchor="end">${ms} ms</text>`,
    ),
    ...powers(x0, x1).map(
      (count) =>
        `<text x="${at(x(count))}" y="${PLOT.bottom + 22}" text-anchor="middle">${count.toLocaleString('en-US')}</text>`,
    ),
  ];
  const names = placesOf(lines.map(({ points }) => y(points.at(-1)?.ms ?? 1)));
  const drawn = lines.map(({ name, points }, n) => {
    const colour = LINES[n % LINES.length] ?? '';
    const places = points.map(({ messages, ms }) => `${at(x(messages))},${at(y(ms))}`);
    const dots = places.map((place) => {
      const [cx, cy] = place.split(',');
      return `<circle cx="${cx}" cy="${cy}" r="3" fill="${colour}"/>`;
    });
    return (
      `<polyline points="${places.join(' ')}" fill="none" stroke="${colour}" stroke-width="2"/>` +
      `${dots.join('')}<text x="${PLOT.right + 12}" y="${at((names[n] ?? 0) + 4)}" style="fill:${colour}">${name}</text>`
    );
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-labelledby="title">
<title id="title">Median time of each operation by the number of messages in the database</title>
<style>
text { font: 13px system-ui, sans-serif; fill: #57606a; }
.grid { stroke: #8b949e; stroke-opacity: 0.35; }
@media (prefers-color-scheme: dark) { text { fill: #9da7b3; } }
</style>
<text x="${PLOT.left}" y="26">Median time by messages in the database (both scales logarithmic)</text>
${[...grid, ...drawn].join('\n')}
</svg>
`;
}

const at = (place: number): string => place.toFixed(1);

/** Moves names down where two would overlap. */
function placesOf(wanted: readonly number[]): number[] {
  const places = wanted.map(() => 0);
  const byPlace = wanted.map((_, n) => n).sort((a, b) => (wanted[a] ?? 0) - (wanted[b] ?? 0));
  let lowest = -Infinity;
  for (const index of byPlace) {
    lowest = Math.max(wanted[index] ?? 0, lowest + NAME_HEIGHT);
    places[index] = lowest;
  }
  return places;
}
