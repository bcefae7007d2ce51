import type { Dashboard, Panel } from './queries';

const DATASOURCE = { type: 'prometheus', uid: '${datasource}' };
const COLUMNS = 3;
/** Grafana's grid has 24 columns. */
const WIDTH = 24 / COLUMNS;
const HEIGHT = 8;

/** A dashboard as Grafana 10 and newer load it from a file, as text. */
export function grafanaJson(dashboard: Dashboard): string {
  const { uid, title, panels, variables = [] } = dashboard;
  const model = {
    uid,
    title,
    tags: ['colloquy'],
    schemaVersion: 39,
    editable: false,
    refresh: '30s',
    time: { from: 'now-6h', to: 'now' },
    templating: {
      list: [
        { name: 'datasource', label: 'Data source', type: 'datasource', query: 'prometheus' },
        ...variables.map(({ name, label, value }) => ({
          name,
          label,
          type: 'textbox',
          query: value,
          current: { text: value, value },
        })),
      ],
    },
    panels: panels.map(panelJson),
  };
  return `${JSON.stringify(model, null, 2)}\n`;
}

function panelJson({ title, description, unit, queries }: Panel, n: number): object {
  return {
    id: n + 1,
    type: 'timeseries',
    title,
    description,
    datasource: DATASOURCE,
    gridPos: {
      x: (n % COLUMNS) * WIDTH,
      y: Math.floor(n / COLUMNS) * HEIGHT,
      w: WIDTH,
      h: HEIGHT,
    },
    fieldConfig: { defaults: { unit, min: 0, custom: { fillOpacity: 8 } }, overrides: [] },
    options: {
      legend: { displayMode: 'list', placement: 'bottom' },
      tooltip: { mode: 'multi', sort: 'desc' },
    },
    targets: queries.map(({ expr, legend }, query) => ({
      refId: String.fromCharCode('A'.charCodeAt(0) + query),
      datasource: DATASOURCE,
      expr,
      legendFormat: legend,
    })),
  };
}
