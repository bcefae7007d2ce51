import { ProblemError } from '../common/http';
import type { Tx } from '../common/uow';
import { type KnowledgeRepository, MAX_PASSAGES, type VacancyDocument } from '../knowledge';
import { MAX_DOCUMENTS } from '../vacancies';

/** Throws ProblemError when the vacancy would have more documents or passages than an import allows. */
export async function assertDocumentFits(
  tx: Tx,
  knowledge: KnowledgeRepository,
  vacancyId: string,
  document: VacancyDocument,
): Promise<void> {
  const others = (await knowledge.list(tx, vacancyId)).filter(({ name }) => name !== document.name);
  if (others.length >= MAX_DOCUMENTS) {
    throw refusedDocument(`A vacancy has at most ${String(MAX_DOCUMENTS)} documents.`);
  }
  const passages = others.reduce((sum, one) => sum + one.passages, document.chunks.length);
  if (passages > MAX_PASSAGES) {
    throw refusedDocument(
      `The documents of a vacancy have at most ${String(MAX_PASSAGES)} passages together.`,
    );
  }
}

export function refusedDocument(title: string): ProblemError {
  return new ProblemError(422, 'document_refused', title);
}
