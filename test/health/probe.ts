import type { TestApp } from '../support/app';

export interface Probe {
  readonly status: number;
  readonly body: {
    readonly status?: string;
    readonly code?: string;
    readonly title?: string;
    readonly details?: Checks;
    readonly checks?: Checks;
  };
}

type Checks = Record<
  string,
  { status: string; condition?: string; trouble?: string; message?: string }
>;

/** What a probe returns to a caller who may see its details. */
export async function probe(app: TestApp, name: 'live' | 'ready' | 'startup'): Promise<Probe> {
  const response = await fetch(`${app.url}/health/${name}`);
  return { status: response.status, body: (await response.json()) as Probe['body'] };
}
