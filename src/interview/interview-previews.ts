import { Injectable } from '@nestjs/common';
import { CandidateRepository } from '../candidates';
import { newId } from '../common/ids';
import type { Tx } from '../common/uow';
import type { Vacancy } from '../vacancies';
import { ConversationRepository } from './conversation.repository';
import { type ContinuationLink, ContinuationLinks } from './interview-start';
import { initialState } from './plan/state';

/**
 * Interviews in which colleagues look at a vacancy as a candidate. Such a one is real, with the plan as it is stored
 * now, and is marked from its beginning: no list and no figure of the team has it, nobody is reminded or asked for
 * help, nothing of it is scored or shown in Notion, and retention deletes it after a day. A closed vacancy has them too.
 */
@Injectable()
export class InterviewPreviews {
  constructor(
    private readonly conversations: ConversationRepository,
    private readonly candidates: CandidateRepository,
    private readonly links: ContinuationLinks,
  ) {}

  /** The link opens it once, in one browser. */
  async open(tx: Tx, vacancy: Vacancy): Promise<ContinuationLink> {
    const { id: candidateId } = await this.candidates.create(tx);
    const id = newId();
    await this.conversations.create(tx, {
      id,
      vacancyId: vacancy.id,
      candidateId,
      invitationId: null,
      language: vacancy.language,
      plan: vacancy.plan,
      state: initialState(vacancy.plan),
      isPreview: true,
    });
    const link = await this.links.continueOn(tx, id, 'web');
    if (link === null) throw new Error('no address leads to the web page');
    return link;
  }
}
