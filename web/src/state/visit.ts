/**
 * The visit of one candidate link, up to the conversation.
 *
 * loading → welcome (the link is good, this browser has nothing yet) → conversation → erased or
 * left (on demand); or unknown, expired, used, closed, unreachable (tried again on demand and when the network
 * returns). A browser that has opened the link before skips the welcome: it gets its own
 * conversation back. With a disclosure in its invite the welcome asks whether the interview is the
 * person's own, because it is open elsewhere; not_mine says that nothing was opened.
 */
import { ApiProblem } from '../api/client';
import type { CandidateApi } from '../api/client';
import type { InviteView, Language } from '../api/wire';
import type { Platform } from '../platform';
import type { ConversationSession } from './session';
import type { SessionEnd } from './session-snapshot';
import { storageKeys } from './storage-keys';

/** `outdated`: the disclosure has changed since it was shown. */
type WelcomeProblem = 'failed' | 'outdated';

export type VisitState =
  | { kind: 'loading'; invite: InviteView | null }
  | { kind: 'welcome'; invite: InviteView; isOpening: boolean; problem: WelcomeProblem | null }
  | { kind: 'not_mine'; invite: InviteView }
  | { kind: 'unknown' }
  | { kind: 'expired' | 'used' | 'closed' | 'full'; invite: InviteView | null }
  | { kind: 'unreachable' }
  | { kind: 'conversation'; session: ConversationSession }
  | { kind: SessionEnd; invite: InviteView };

type Welcome = Extract<VisitState, { kind: 'welcome' }>;

export function welcomeTo(invite: InviteView): Welcome {
  return { kind: 'welcome', invite, isOpening: false, problem: null };
}

/** What a browser that has nothing yet is shown first. */
export function arrivalAt(invite: InviteView): VisitState {
  return invite.state === 'open' ? welcomeTo(invite) : { kind: invite.state, invite };
}

export class Visit {
  private state: VisitState = { kind: 'loading', invite: null };
  private readonly listeners = new Set<() => void>();
  private readonly keys;
  /** The session before the present state: the server no longer knows it. */
  private lost: ConversationSession | null = null;
  /** Browsers keep that a part could not be loaded, so only a new document asks for it again. */
  private isPartMissing = false;

  constructor(
    private readonly token: string,
    private readonly api: CandidateApi,
    private readonly platform: Platform,
    /** What the link leads to, if the document said so; `load` asks the API again. */
    invite: InviteView | null = null,
    /** The conversation is a part of its own, so that the first view does not wait for it. */
    private readonly part = () => import('../conversation-part'),
  ) {
    this.keys = storageKeys(token);
    if (invite !== null && !this.wasOpenedHere()) this.state = arrivalAt(invite);
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener);
    return () => {
      this.listeners.delete(listener);
    };
  };

  readonly snapshot = (): VisitState => this.state;

  /** The conversation on the page, also while it is opened again. */
  session(): ConversationSession | null {
    return this.state.kind === 'conversation' ? this.state.session : this.lost;
  }

  async load(): Promise<void> {
    if (this.isPartMissing) {
      this.platform.reload();
      return;
    }
    this.lost = this.session();
    this.publish({ kind: 'loading', invite: null });
    try {
      const invite = await this.api.invite(this.token);
      if (this.wasOpenedHere()) await this.open(invite, null);
      else this.publish(arrivalAt(invite));
    } catch (error) {
      this.publish(refusal(error, null) ?? { kind: 'unreachable' });
    }
  }

  /**
   * Begins, or comes back: makes the conversation unless this browser already has one. Says yes to
   * the question of the welcome, if it asked one.
   */
  async begin(invite: InviteView): Promise<void> {
    if (this.isPartMissing) {
      this.platform.reload();
      return;
    }
    this.publish({ kind: 'welcome', invite, isOpening: true, problem: null });
    try {
      await this.open(invite, invite.disclosure);
    } catch (error) {
      this.publish(
        refusal(error, invite) ?? { kind: 'welcome', invite, isOpening: false, problem: 'failed' },
      );
    }
  }

  /** The interview belongs to somebody else: nothing was opened, and nothing will be. */
  disown(invite: InviteView): void {
    this.publish({ kind: 'not_mine', invite });
  }

  chosenLanguage(): Language | null {
    const kept = this.platform.storage.get(this.keys.language);
    return kept === 'ru' || kept === 'en' ? kept : null;
  }

  chooseLanguage(language: Language): void {
    this.platform.storage.set(this.keys.language, language);
  }

  private wasOpenedHere(): boolean {
    return this.platform.storage.get(this.keys.opened) !== null;
  }

  private async open(invite: InviteView, mine: { version: string } | null): Promise<void> {
    try {
      await this.api.openSession(this.token, mine);
    } catch (error) {
      const isOutdated = hasCode(error, 'disclosure_outdated');
      if (isOutdated || hasCode(error, 'confirmation_needed')) {
        const problem = isOutdated ? 'outdated' : null;
        const asking = await this.api.invite(this.token);
        this.publish({ kind: 'welcome', invite: asking, isOpening: false, problem });
        return;
      }
      const refused = refusal(error, invite);
      if (!refused) throw error;
      this.publish(refused);
      return;
    }
    this.platform.storage.set(this.keys.opened, '1');
    const [view, parts] = await Promise.all([this.api.conversation(), this.loadPart()]);
    const session = new parts.ConversationSession(view, this.api, this.platform, {
      wayBack: invite.kind,
      onEnded: (how) => {
        this.forget(how, { ...invite, language: view.language });
      },
    });
    if (this.lost !== null) session.restore(this.lost);
    this.lost = null;
    session.start();
    this.publish({ kind: 'conversation', session });
  }

  private async loadPart(): ReturnType<typeof this.part> {
    try {
      return await this.part();
    } catch (error) {
      this.isPartMissing = true;
      throw error;
    }
  }

  /** Forgets this visit: the next opening of the link starts like a new browser. */
  private forget(how: SessionEnd, invite: InviteView): void {
    this.platform.storage.remove(this.keys.opened);
    this.platform.storage.remove(this.keys.language);
    this.publish({ kind: how, invite });
  }

  private publish(state: VisitState): void {
    this.state = state;
    for (const listener of this.listeners) listener();
  }
}

function hasCode(error: unknown, code: string): boolean {
  return error instanceof ApiProblem && error.code === code;
}

/** The page for a problem with the link itself; null for any other problem. */
function refusal(error: unknown, invite: InviteView | null): VisitState | null {
  if (!(error instanceof ApiProblem)) return null;
  if (error.code === 'continuation_used') return { kind: 'used', invite };
  if (error.code === 'continuation_expired') return { kind: 'expired', invite };
  if (error.code === 'invite_expired') return { kind: 'expired', invite };
  if (error.code === 'vacancy_closed') return { kind: 'closed', invite };
  if (error.code === 'open_link_full') return { kind: 'full', invite };
  if (error.code === 'invite_unknown' || error.status === 404) return { kind: 'unknown' };
  return null;
}
