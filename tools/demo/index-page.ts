import path from 'node:path';
import type { Crowd, Member } from './crowd';
import { PageServer } from './page-server';
import type { RunningColloquy } from './running-colloquy';

const here = (file: string): string => path.join(__dirname, file);
const FILES = {
  '/': here('index.html'),
  '/index.js': here('index.js'),
  '/index.css': here('index.css'),
  '/base.css': here('base.css'),
};
const MOST_ITEMS = 50;

interface AttentionView {
  readonly id: string;
  readonly kind: string;
  readonly reason: string;
  readonly who: string | null;
  /** Unix time in milliseconds. */
  readonly atMs: number;
  readonly transcript: string | null;
}

export interface IndexLink {
  readonly key:
    'candidate-en' | 'candidate-ru' | 'telegram' | 'notion' | 'recruiters' | 'metrics' | 'docs';
  readonly address: string;
}

/** What the page shows. */
export interface IndexView {
  readonly links: readonly IndexLink[];
  readonly token: string;
  readonly members: readonly (Omit<Member, 'role'> & {
    readonly name: string;
    readonly language: string;
    readonly transcript: string | null;
  })[];
  readonly attention: readonly AttentionView[];
}

const CONVERSATIONS = `
select c.id, p.name from conversation c join candidate p on p.id = c.candidate_id
where c.status <> 'new' order by c.created_at`;

const ATTENTION = `
select a.id, a.kind, a.reason, a.created_at, a.conversation_id, p.name
from attention a left join conversation c on c.id = a.conversation_id
left join candidate p on p.id = c.candidate_id
where a.closed_at is null order by a.id desc limit ${String(MOST_ITEMS)}`;

interface AttentionRow {
  readonly id: string;
  readonly kind: string;
  readonly reason: string;
  readonly created_at: Date;
  readonly conversation_id: string | null;
  readonly name: string | null;
}

/** The first page of the demo: where to look, who is being interviewed, and what needs a person. */
export class IndexPage extends PageServer {
  private conversations = new Map<string, string>();
  private attention: readonly AttentionView[] = [];

  constructor(
    private readonly colloquy: RunningColloquy,
    private readonly crowd: Crowd,
    private readonly links: readonly IndexLink[],
    port: number,
  ) {
    super(FILES, { port, lookEveryMs: 500 });
  }

  /** Reads from the database what the page shows of it. */
  async look(): Promise<void> {
    const rows = await this.colloquy.rows<{ id: string; name: string | null }>(CONVERSATIONS);
    this.conversations = new Map(rows.map(({ id, name }) => [name ?? '', id]));
    const items = await this.colloquy.rows<AttentionRow>(ATTENTION);
    this.attention = items.map(({ id, kind, reason, created_at, conversation_id, name }) => ({
      id,
      kind,
      reason,
      who: name,
      atMs: created_at.getTime(),
      transcript: this.transcriptOf(conversation_id),
    }));
  }

  protected override view(): IndexView {
    const members = this.crowd.members.map(({ role, ...others }) => ({
      ...others,
      name: role.name,
      language: role.language,
      transcript: this.transcriptOf(this.conversations.get(role.name) ?? null),
    }));
    const { links, attention } = this;
    return { links, token: this.colloquy.adminToken, members, attention };
  }

  protected override act(): void {
    throw new Error('there is nothing to do on this page');
  }

  private transcriptOf(conversationId: string | null): string | null {
    if (conversationId === null) return null;
    return `${this.colloquy.baseUrl}/console/transcripts/${conversationId}`;
  }
}
