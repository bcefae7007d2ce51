import { Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type Principal, reaches } from '../../../access';
import { closeRequestUnit } from '../../../common/uow';
import { keyOf, TeamFeed, type TeamListener, type TeamNews, TeamPresence } from '../../../streams';
import { eventFrame } from './event-frames';
import { OpenStreams, type SseResponse } from './sse-response';

/**
 * Streams what changes for the hiring team, as far as the reader's rights go. It tells ids; what has changed is read
 * with the operations that show it, which check the rights again.
 */
@Injectable()
export class TeamStreams {
  constructor(
    private readonly streams: OpenStreams,
    private readonly feed: TeamFeed,
    private readonly presence: TeamPresence,
  ) {}

  /** `reader`: a user. Throws ProblemError: see OpenStreams. */
  stream(request: FastifyRequest, reply: FastifyReply, reader: Principal): SseResponse {
    const response = this.streams.open(reply, `tabs of ${String(reader.userId)}`);
    closeRequestUnit(request);
    void new TeamReader(response, reader, this.feed, this.presence).run();
    return response;
  }
}

/** One open stream. */
class TeamReader implements TeamListener {
  readonly isLimited: boolean;
  /** By kind and id, the oldest first. */
  private readonly waiting = new Map<string, TeamNews>();
  /** The first event of a connection, because the reader may have been away. */
  private hasMissed = true;

  constructor(
    private readonly response: SseResponse,
    private readonly reader: Principal,
    private readonly feed: TeamFeed,
    private readonly presence: TeamPresence,
  ) {
    this.isLimited = reader.vacancyIds !== null;
  }

  /** Runs until the connection is closed. */
  async run(): Promise<void> {
    const { response } = this;
    const leave = this.feed.listen(this);
    try {
      while (!response.isClosed) {
        this.write();
        await response.drained();
        if (this.waiting.size === 0 && !this.hasMissed) await response.wakeSignal.wait();
      }
    } finally {
      leave();
    }
  }

  onNews(news: readonly TeamNews[]): void {
    for (const one of news) this.keep(one);
    if (this.waiting.size > MOST_WAITING) this.onResync();
    else if (this.waiting.size > 0) this.response.wakeSignal.wake('rows');
  }

  onResync(): void {
    this.waiting.clear();
    this.hasMissed = true;
    this.response.wakeSignal.wake('rows');
  }

  private keep(one: TeamNews): void {
    if (this.isMeant(one)) this.waiting.set(keyOf(one), one);
  }

  private write(): void {
    if (this.hasMissed) {
      this.hasMissed = false;
      this.response.write(eventFrame('resync', {}));
      for (const place of this.presence.read()) {
        const { interviewId: id } = place;
        // However many they are: what is written at once waits for nobody.
        this.keep({ kind: 'readers', id, ...place });
      }
    }
    const frames = [...this.waiting.values()].map((one) => this.frameOf(one));
    this.waiting.clear();
    this.response.write(frames.join(''));
  }

  private frameOf({ kind, id, interviewId }: TeamNews): string {
    if (kind !== 'readers') return eventFrame('changed', { kind, id, interviewId });
    return eventFrame('readers', { interviewId: id, readers: this.presence.readersOf(id) });
  }

  private isMeant({ kind, vacancyId }: TeamNews): boolean {
    // A newer version may have kinds that this one does not know.
    const scopes: Readonly<Partial<Record<string, string>>> = NEEDED;
    const scope = scopes[kind];
    return (
      scope !== undefined && this.reader.scopes.includes(scope) && reaches(this.reader, vacancyId)
    );
  }
}

/** More than this waits for no slow reader: it is told to read everything again. */
const MOST_WAITING = 500;

const NEEDED: Readonly<Record<TeamNews['kind'], string>> = {
  interview: 'interviews:read',
  readers: 'interviews:read',
  attention: 'attention:read',
  invitation: 'invitations:read',
  vacancy: 'vacancies:read',
  judgement: 'decisions:read',
};
