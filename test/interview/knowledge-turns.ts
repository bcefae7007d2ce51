import { KnowledgeRepository } from '../../src/knowledge';
import { replyWith } from '../../tools/fake-model/model-server';
import type { ModelReply } from '../../tools/fake-model/model-replies';
import { type ReplyData, replyDataOf } from '../../tools/fake-model/reply-data';
import { streamCalls } from '../../tools/fake-model/tool-replies';
import type { Interviewee } from './interviewee';
import type { TestApp } from '../support/app';
import { documentsOf } from '../support/documents';

export const SHIFTS = 'The early shift begins at four in the morning and ends at noon.';

/** Replaces the documents of a vacancy. There are more than stand in every prompt, so they are searched. */
export async function storeDocuments(
  app: TestApp,
  texts: Readonly<Record<string, string>>,
  vacancy = app.vacancy,
): Promise<void> {
  await storeFewDocuments(app, { ...texts, 'appendix.en.md': APPENDIX }, vacancy);
}

/** The same without others: up to 20 passages stand in every prompt, and nothing is searched. */
export async function storeFewDocuments(
  app: TestApp,
  texts: Readonly<Record<string, string>>,
  vacancy = app.vacancy,
): Promise<void> {
  const documents = documentsOf(texts);
  await app.commit((tx) => app.get(KnowledgeRepository).replace(tx, vacancy.id, documents));
}

/** 21 passages without a word that a test looks for. */
const APPENDIX = Array.from({ length: 21 }, (_, n) => `# Appendix ${n}\n\nBlank page.`).join(
  '\n\n',
);

/** The model calls the search. */
export function callSearch(query: string): ModelReply {
  return streamCalls(['search_knowledge', { query }]);
}

/** The model replies to the candidate's question from the first passage. */
export function fromPassage(text: string): ModelReply {
  return replyWith('question', text, { sources: '1' });
}

/** The tools and the data of the requests since the first `from`. */
export function requestsSince(
  { model }: TestApp,
  from: number,
): { tools: string[]; data: ReplyData }[] {
  return model.requests.slice(from).map(({ body }) => ({
    tools: body.tools?.map((tool) => tool.function.name) ?? [],
    data: replyDataOf(body.messages.at(-1)?.content),
  }));
}

export interface StoredEvent {
  readonly type: string;
  readonly [field: string]: unknown;
}

export async function eventsOf(app: TestApp, { id }: Interviewee): Promise<StoredEvent[]> {
  const rows = await app.sql<{ event: StoredEvent }>(
    `select event from message where conversation_id = $1 and role = 'event' order by seq`,
    [id],
  );
  return rows.map(({ event }) => event);
}
