import { Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import { Interval } from '@nestjs/schedule';
import { describeError } from '../../common/errors';
import { UnitOfWorkFactory } from '../../common/uow';
import {
  ApiKeys,
  type EndedKey,
  type Principal,
  type SessionRights,
  UserSessions,
  changedUserIn,
  revokedKeyIn,
  scopesOf,
} from '../../access';
import { SignalConnection, type SignalListener } from '../../persistence';
import { type EventData, endedFrame } from './events/event-frames';
import type { SseResponse } from './events/sse-response';

const CHECK_MS = 2000;

type Reason = EventData<'ended'>['reason'];

/**
 * Ends the open streams of keys and of colleagues' sessions that have ended, and of users whose role or vacancies
 * have changed, with a last event that says why. A signal ends them at once. Each replica also checks every 2 s,
 * because nothing is committed when a key or a session expires, and a signal may be missed.
 */
@Injectable()
export class EndedAccess implements SignalListener, OnModuleInit {
  private readonly logger = new Logger('Streams');
  private readonly streams = new Map<SseResponse, Principal>();
  private isChecking = false;
  /** Counts signals of users; a check during which one came is made again. */
  private changes = 0;

  constructor(
    private readonly units: UnitOfWorkFactory,
    private readonly keys: ApiKeys,
    private readonly sessions: UserSessions,
    private readonly signals: SignalConnection,
  ) {}

  onModuleInit(): void {
    this.signals.listen(this);
  }

  /** From now on the stream ends with the key or the session of whoever opened it. */
  endWith(response: SseResponse, principal: Principal): void {
    if (principal.keyId === null && principal.sessionId === undefined) return;
    this.streams.set(response, principal);
  }

  onSignal(payload: string): void {
    const keyId = revokedKeyIn(payload);
    if (keyId !== null) this.endStreams(reasonsOfKeys([{ id: keyId, state: 'revoked' }]));
    if (changedUserIn(payload) === null) return;
    this.changes += 1;
    void this.checkOnSchedule();
  }

  /** The next check finds what was missed. */
  onConnected(): void {
    return undefined;
  }

  /** While the database cannot be reached no stream ends; the next check asks again. */
  @Interval(CHECK_MS)
  async checkOnSchedule(): Promise<void> {
    if (this.isChecking) return;
    this.isChecking = true;
    try {
      let seen: number;
      do {
        seen = this.changes;
        await this.closeStreams();
      } while (seen !== this.changes);
    } catch (error) {
      this.logger.debug(
        `could not check the keys and sessions of open streams, retrying: ${describeError(error)}`,
      );
    } finally {
      this.isChecking = false;
    }
  }

  /** Ends the streams of keys and sessions that have ended, and of users who have changed. */
  async closeStreams(): Promise<void> {
    for (const response of this.streams.keys()) {
      if (response.isClosed) this.streams.delete(response);
    }
    const readers = [...this.streams.values()];
    const keyIds = [...new Set(readers.flatMap(({ keyId }) => keyId ?? []))];
    if (keyIds.length > 0) {
      const ended = await this.units.run('key', (uow) =>
        uow.commitOne('key.list_ended', (tx) => this.keys.listEnded(tx, keyIds)),
      );
      this.endStreams(reasonsOfKeys(ended));
    }
    const sessionIds = [...new Set(readers.flatMap(({ sessionId }) => sessionId ?? []))];
    if (sessionIds.length > 0) {
      const live = await this.units.run('user_session', (uow) =>
        uow.commitOne('user_session.list_live', (tx) => this.sessions.listLive(tx, sessionIds)),
      );
      this.endStreams(reasonsOfSessions(new Set(sessionIds), live));
    }
  }

  /** Null of `reasonOf`: the stream goes on. */
  private endStreams(reasonOf: (reader: Principal) => Reason | null): void {
    for (const [response, reader] of this.streams) {
      const reason = reasonOf(reader);
      if (reason === null) continue;
      this.streams.delete(response);
      response.write(endedFrame(reason));
      response.end();
    }
  }
}

function reasonsOfKeys(ended: readonly EndedKey[]): (reader: Principal) => Reason | null {
  const states = new Map(ended.map(({ id, state }) => [id, state]));
  return ({ keyId }) => {
    const state = keyId === null ? undefined : states.get(keyId);
    return state === undefined ? null : `key_${state}`;
  };
}

/** Whoever opened a stream with other rights than the user has now may not read on with them. */
function reasonsOfSessions(
  asked: ReadonlySet<string>,
  live: readonly SessionRights[],
): (reader: Principal) => Reason | null {
  const rights = new Map(live.map((session) => [session.id, session]));
  return ({ sessionId, scopes, vacancyIds }) => {
    if (sessionId === undefined || !asked.has(sessionId)) return null;
    const now = rights.get(sessionId);
    if (now === undefined) return 'session_ended';
    const isSame = scopesOf(now.role) === scopes && String(now.vacancyIds) === String(vacancyIds);
    return isSame ? null : 'rights_changed';
  };
}
