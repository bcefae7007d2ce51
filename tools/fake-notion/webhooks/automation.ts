import { randomUUID } from 'node:crypto';
import { pageOnWire } from '../wire/page';
import type { WorkspaceChange } from '../state/workspace-change';
import { idOf } from '../state/ids';
import { findColumn } from '../state/source';
import type { WorkspaceState } from '../state/workspace-state';
import { post } from './post';

/** An automation "Send webhook" of one board. */
export interface AutomationPlan {
  readonly url: string;
  /** Headers of the request; nothing is signed. */
  readonly headers: Readonly<Record<string, string>>;
  /** Names of the columns whose changes start it; all of them if none are given. */
  readonly when?: readonly string[];
  /** Names of the columns that are sent; all of them if none are given. */
  readonly properties?: readonly string[];
}

export interface AutomationCall {
  readonly at: Date;
  readonly pageId: string;
  /** Null: no complete response; it is not repeated. */
  readonly status: number | null;
}

/** Sends a page with its properties whenever one of them changes, or the page is new. */
export class Automation {
  readonly calls: AutomationCall[] = [];
  private readonly closing = new AbortController();

  constructor(
    private readonly state: WorkspaceState,
    private readonly sourceId: string,
    private readonly plan: AutomationPlan,
  ) {
    state.onChange((change) => {
      if (this.isSetOffBy(change)) void this.run(change);
    });
  }

  close(): void {
    this.closing.abort();
  }

  private isSetOffBy(change: WorkspaceChange): boolean {
    if (!('page' in change) || change.source.id !== this.sourceId) return false;
    if (this.closing.signal.aborted) return false;
    if (change.type === 'page.created') return true;
    if (change.type !== 'page.properties_updated') return false;
    const { when } = this.plan;
    const wanted = when?.map((name) => findColumn(change.source, name)?.id);
    return wanted === undefined || change.updated.some((id) => wanted.includes(id));
  }

  private async run(change: WorkspaceChange): Promise<void> {
    if (!('page' in change)) return;
    const { page, author } = change;
    const body = {
      source: {
        type: 'automation',
        automation_id: idOf(`automation ${this.sourceId}`),
        action_id: idOf(`action ${this.sourceId}`),
        event_id: randomUUID(),
        user_id: author.id,
        attempt: 1,
      },
      data: pageOnWire(this.state, page, this.plan.properties),
    };
    const { url, headers } = this.plan;
    const { clock } = this.state;
    const at = clock.now();
    const bytes = Buffer.from(JSON.stringify(body));
    const status = await post(url, headers, bytes, clock, this.closing.signal);
    this.calls.push({ at, pageId: page.id, status });
    this.state.changes.notify();
  }
}
