import { Injectable } from '@nestjs/common';
import { type AttentionItem, AttentionService, AttentionUnknownError } from '../attention';
import { ConversationUnknownError } from '../buffer';
import { CandidateRepository } from '../candidates';
import { ProblemError } from '../common/http';
import { isUuid } from '../common/ids';
import type { Tx } from '../common/uow';
import { type ConversationRow, ConversationRepository, ConversationViews } from '../interview';
import { type Principal, reaches } from '../access';
import { type AuditEvent, AuditRepository } from '../privacy';
import { InvitationRepository, VacancyRepository } from '../vacancies';

/**
 * What a key that is limited to vacancies reaches. What belongs to other vacancies, or to none, is as unknown
 * to it as what does not exist. A preview of a colleague is unknown to all.
 */
@Injectable()
export class Reach {
  constructor(
    private readonly conversations: ConversationRepository,
    private readonly views: ConversationViews,
    private readonly invitations: InvitationRepository,
    private readonly vacancies: VacancyRepository,
    private readonly candidates: CandidateRepository,
    private readonly attention: AttentionService,
    private readonly audit: AuditRepository,
  ) {}

  /**
   * Reads something of an interview with `read`, and notes it in the audit, in the same commit. Throws
   * ConversationUnknownError, and what `read` throws.
   */
  async read<T>(
    tx: Tx,
    of: {
      readonly principal: Principal;
      readonly conversationId: string;
      readonly action: AuditEvent['action'];
    },
    read: () => Promise<T>,
  ): Promise<T> {
    const { principal, conversationId, action } = of;
    const { vacancyIds, actor } = principal;
    if (!(await this.views.isInterview(tx, conversationId, vacancyIds))) {
      throw new ConversationUnknownError('There is no such conversation.');
    }
    const result = await read();
    await this.audit.note(tx, { actor, action, subjectId: conversationId });
    return result;
  }

  /** An interview, without a lock. Throws ConversationUnknownError. */
  async interview(tx: Tx, principal: Principal, conversationId: string): Promise<ConversationRow> {
    const found = isUuid(conversationId)
      ? await this.conversations.find(tx, conversationId)
      : undefined;
    const isKnown = found !== undefined && !found.isPreview;
    if (isKnown && reaches(principal, found.vacancyId)) return found;
    throw new ConversationUnknownError('There is no such interview.');
  }

  /** The candidate of an interview. Throws ConversationUnknownError. */
  async candidateOf(tx: Tx, principal: Principal, conversationId: string): Promise<string> {
    return (await this.interview(tx, principal, conversationId)).candidateId;
  }

  /**
   * The vacancies whose lists are meant: all that are reached, or the one of this slug, if it is reached. Null: all
   * that there are, and what belongs to none.
   */
  async vacancyIds(
    tx: Tx,
    principal: Principal,
    slug: string | undefined,
  ): Promise<readonly string[] | null> {
    if (slug === undefined) return principal.vacancyIds;
    const vacancy = await this.vacancies.findBySlug(tx, slug);
    return vacancy !== null && reaches(principal, vacancy.id) ? [vacancy.id] : [];
  }

  /** Throws AttentionUnknownError. */
  async item(tx: Tx, { vacancyIds }: Principal, id: string): Promise<AttentionItem> {
    const item = await this.attention.get(tx, id);
    if (vacancyIds === null) return item;
    const { conversationId } = item;
    if (conversationId !== null && (await this.views.isInterview(tx, conversationId, vacancyIds))) {
      return item;
    }
    throw new AttentionUnknownError('no attention item has this id');
  }

  /**
   * Throws ProblemError unless the key reaches everything of the candidate, because an erasure leaves
   * nothing. Nobody is refused for a candidate of whom nothing is stored.
   */
  async assertCandidate(tx: Tx, principal: Principal, candidateId: string): Promise<void> {
    if (principal.vacancyIds === null) return;
    const vacancyIds = [
      ...(await this.conversations.listVacancyIdsOf(tx, candidateId)),
      ...(await this.invitations.listVacancyIdsOf(tx, candidateId)),
    ];
    const isReached =
      vacancyIds.length === 0
        ? !isUuid(candidateId) || (await this.candidates.find(tx, candidateId)) === null
        : vacancyIds.every((id) => reaches(principal, id));
    if (isReached) return;
    throw new ProblemError(
      403,
      'beyond_key',
      'This key is limited to vacancies, and these alone do not know the candidate.',
    );
  }
}
