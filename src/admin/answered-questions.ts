import { Injectable } from '@nestjs/common';
import { type Principal } from '../access';
import { ProblemError } from '../common/http';
import type { Tx } from '../common/uow';
import { KnowledgeRepository, answerDocumentName, withAnswer } from '../knowledge';
import type { ConversationRow } from '../interview';
import { AuditRepository } from '../privacy';
import { VacancyRepository } from '../vacancies';
import { assertDocumentFits } from './document-limits';

/** Keeps what a person has answered in the vacancy's documents, so that the next candidate gets it at once. */
@Injectable()
export class AnsweredQuestions {
  constructor(
    private readonly vacancies: VacancyRepository,
    private readonly knowledge: KnowledgeRepository,
    private readonly audit: AuditRepository,
  ) {}

  /**
   * Adds question and answer to the document of the interview's language. Throws ProblemError: 403 without the
   * scope for vacancies, 422 when the vacancy has no room for more.
   */
  async keep(
    tx: Tx,
    { actor, scopes, userId }: Principal,
    { vacancyId, language }: Pick<ConversationRow, 'vacancyId' | 'language'>,
    answered: { readonly question: string; readonly answer: string },
  ): Promise<void> {
    if (!scopes.includes(SCOPE)) {
      const whose = userId === null ? 'This key' : 'Your role';
      throw new ProblemError(403, 'scope_missing', `${whose} lacks the scope ${SCOPE}.`);
    }
    const found = await this.vacancies.find(tx, vacancyId);
    if (found === null) throw new Error('the interview has no vacancy');
    await this.vacancies.lockBySlug(tx, found.slug);
    const stored = await this.knowledge.chunksOf(tx, vacancyId, answerDocumentName(language));
    const document = withAnswer(stored, { ...answered, language });
    await assertDocumentFits(tx, this.knowledge, vacancyId, document);
    await this.knowledge.put(tx, vacancyId, document);
    await this.vacancies.tellTeam(tx, found);
    await this.audit.note(tx, { actor, action: 'vacancy.document', subjectId: vacancyId });
  }
}

const SCOPE = 'vacancies:write';
