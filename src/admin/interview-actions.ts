import { Injectable } from '@nestjs/common';
import { type Principal, nameIn } from '../access';
import { AttentionClaims } from '../attention';
import { Clock } from '../common/clock';
import { ConversationUnknownError } from '../buffer';
import { ColloquyError } from '../common/errors';
import type { Tx, UnitOfWork } from '../common/uow';
import { ConversationRepository, InterviewClosing, RequestedReminders } from '../interview';
import { OneInvitation, type OwnInvitation } from '../invitations';
import { type AuditEvent, AuditRepository } from '../privacy';
import { VacancyClosedError } from '../vacancies';
import { Reach } from './reach';

/** One commit for each interview, so that one that is refused does not hold up the others. */
@Injectable()
export class InterviewActions {
  constructor(
    private readonly conversations: ConversationRepository,
    private readonly closing: InterviewClosing,
    private readonly reminders: RequestedReminders,
    private readonly invitations: OneInvitation,
    private readonly claims: AttentionClaims,
    private readonly audit: AuditRepository,
    private readonly reach: Reach,
    private readonly clock: Clock,
  ) {}

  async run(
    uow: UnitOfWork,
    principal: Principal,
    { action, id }: { readonly action: InterviewAction; readonly id: string },
  ): Promise<Fate> {
    try {
      if (action === 'reissue') return await this.reissue(uow, principal, id);
      return await uow.commit('interview.act', async (tx) => {
        await this.reach.interview(tx, principal, id);
        return this.act(tx, principal, { action, id });
      });
    } catch (error) {
      if (error instanceof ConversationUnknownError) return refused('unknown');
      if (error instanceof VacancyClosedError) return refused('vacancy_closed');
      // The others are done, so the response has to say which.
      if (error instanceof ColloquyError) return refused('failed');
      throw error;
    }
  }

  private async act(
    tx: Tx,
    principal: Principal,
    { action, id }: { readonly action: Exclude<InterviewAction, 'reissue'>; readonly id: string },
  ): Promise<Fate> {
    const { actor } = principal;
    const done = async (noted: AuditEvent['action'], fate: Partial<Fate> = {}): Promise<Fate> => {
      await this.audit.note(tx, { actor, action: noted, subjectId: id });
      return { ...DONE, ...fate };
    };
    if (NOT_WHILE_HELD.includes(action) && (await this.isHeldByOther(tx, principal, id))) {
      return refused('held');
    }
    switch (action) {
      case 'remind': {
        const found = await this.reminders.request(tx, id);
        if (typeof found === 'string') return refused(found);
        return done('reminder.request', { at: new Date(this.clock.now().getTime() + found) });
      }
      case 'cancel_reminder': {
        const isEnded = await this.reminders.takeBack(tx, id);
        return isEnded ? done('reminder.cancel') : refused('sent_already');
      }
      case 'close': {
        const refusal = await this.closing.close(tx, id, nameIn(actor));
        if (refusal !== null) return refused(refusal);
        await this.claims.release(tx, { id, conversationId: id }, actor);
        return done('interview.close');
      }
      case 'reopen': {
        const refusal = await this.closing.reopen(tx, id, nameIn(actor));
        return refusal === null ? done('interview.reopen') : refused(refusal);
      }
      case 'restore_link': {
        // Under its lock, because a browser that opens the new link takes it, too.
        const { candidateId } = await this.conversations.lockKnown(tx, id);
        if (!(await this.invitations.restore(tx, id))) return refused('not_restorable');
        await this.audit.note(tx, { actor, action: 'invitation.restore', subjectId: candidateId });
        return DONE;
      }
    }
  }

  /** Its secrets are hashed outside of the commit. */
  private async reissue(uow: UnitOfWork, principal: Principal, id: string): Promise<Fate> {
    const { actor, vacancyIds } = principal;
    const last = await uow.commit('interview.act', async (tx) => {
      await this.reach.interview(tx, principal, id);
      return this.invitations.ofInterview(tx, id);
    });
    if (last === undefined) return refused('no_invitation');
    const of = { id: last.id, vacancyIds, expiresAt: undefined };
    return this.invitations.reissue(uow, of, async (tx, { candidateId, link }) => {
      const action = 'invitation.reissue';
      await this.audit.note(tx, { actor, action, subjectId: candidateId });
      return { ...DONE, link };
    });
  }

  /** Somebody else writes to the candidate now, as its items in the inbox say. Keys act without a claim. */
  private async isHeldByOther(tx: Tx, { userId, actor }: Principal, id: string): Promise<boolean> {
    if (userId === null) return false;
    await this.conversations.lockKnown(tx, id);
    const held = (await this.claims.of(tx, [{ id, conversationId: id }])).get(id);
    return held !== undefined && held.heldBy !== actor;
  }
}

/**
 * What a person does with several interviews at once. Each has a reverse action, which takes it back:
 *
 *   remind   ─> a reminder, in ten seconds, or in the morning   <─ cancel_reminder, until then
 *   close    ─> ends as by silence                              <─ reopen, within a day
 *   reissue  ─> a new link; the one before ends                 <─ restore_link, within ten minutes, unless it was used
 */
export const INTERVIEW_ACTIONS = [
  'remind',
  'cancel_reminder',
  'close',
  'reopen',
  'reissue',
  'restore_link',
] as const;

type InterviewAction = (typeof INTERVIEW_ACTIONS)[number];

/** What is not done while somebody else has the interview: it writes to the candidate, or decides who does. */
const NOT_WHILE_HELD: readonly InterviewAction[] = ['remind', 'close', 'reopen'];

/** Why nothing was done with an interview. */
export const REFUSALS = [
  'unknown',
  'not_waiting',
  'reply_owed',
  'reminded_lately',
  'unwanted',
  'sent_already',
  'ended',
  'held',
  'not_closed',
  'no_invitation',
  'not_restorable',
  'vacancy_closed',
  'failed',
] as const;

type Refusal = (typeof REFUSALS)[number];

/** What became of one interview. */
interface Fate {
  readonly refusal: Refusal | null;
  /** When the reminder is sent. */
  readonly at: Date | null;
  readonly link: OwnInvitation['link'] | null;
}

const DONE: Fate = { refusal: null, at: null, link: null };

function refused(refusal: Refusal): Fate {
  return { ...DONE, refusal };
}
