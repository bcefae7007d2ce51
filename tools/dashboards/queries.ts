/** One curve or figure: a query of PromQL, and the legend of what it returns. */
export interface Query {
  readonly expr: string;
  /** With `{{label}}` for the labels of a series. */
  readonly legend: string;
}

/** Units by Grafana's names. */
export type Unit = 'short' | 's' | 'percentunit' | 'reqps' | 'bytes' | 'currencyUSD' | 'opm';

export interface Panel {
  readonly title: string;
  /** What a reader should conclude from it, in one sentence. */
  readonly description: string;
  readonly unit: Unit;
  readonly queries: readonly Query[];
}

export interface Dashboard {
  /** The name of its file and its address in Grafana. */
  readonly uid: string;
  readonly title: string;
  readonly panels: readonly Panel[];
  /** Values that a reader may change, with their defaults. */
  readonly variables?: readonly {
    readonly name: string;
    readonly label: string;
    readonly value: string;
  }[];
}

/** `rate` over the range that fits the panel. */
export function rate(metric: string): string {
  return `rate(${metric}[$__rate_interval])`;
}

export function perSecond(metric: string, by: string): string {
  return `sum by (${by}) (${rate(metric)})`;
}

/** Of a histogram whose name is given without `_bucket`. */
export function quantile(share: number, metric: string, by = ''): string {
  const [name = '', selector = ''] = metric.split(/(?=\{)/);
  const labels = by === '' ? 'le' : `le, ${by}`;
  return `histogram_quantile(${String(share)}, sum by (${labels}) (${rate(`${name}_bucket${selector}`)}))`;
}

export function quantiles(metric: string, by: string): Query[] {
  return [
    { expr: quantile(0.5, metric, by), legend: `{{${by}}} p50` },
    { expr: quantile(0.95, metric, by), legend: `{{${by}}} p95` },
  ];
}

/** Which share of `metric` has these labels; 0 while no series has them. */
export function share(metric: string, selector: string, by: string): string {
  const all = perSecond(metric, by);
  return `(${perSecond(`${metric}${selector}`, by)} or 0 * ${all}) / (${all} > 0)`;
}

/** Figures of the database: every replica shows the same ones. */
export function ofCluster(metric: string, by = ''): string {
  return by === '' ? `max(${metric})` : `max by (${by}) (${metric})`;
}
