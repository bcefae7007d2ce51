import { KnowledgeRepository } from '../../src/knowledge';
import { replyWith } from '../../tools/fake-model/model-server';
import type { ModelReply } from '../../tools/fake-model/model-replies';
import { streamCalls } from '../../tools/fake-model/tool-replies';
import type { Interviewee } from './interviewee';
import type { TestApp } from '../support/app';
import { documentsOf } from '../support/documents';

export const SHIFTS = 'The early shift begins at four in the morning and ends at noon.';

/** Replaces the documents of a vacancy. */
export async function storeDocuments(
  app: TestApp,
  texts: Readonly<Record<string, string>>,
  vacancy = app.vacancy,
): Promise<void> {
  const documents = documentsOf(texts);
  await app.commit((tx) => app.get(KnowledgeRepository).replace(tx, vacancy.id, documents));
}

/** The model calls the search. */
export function callSearch(query: string): ModelReply {
  return streamCalls(['search_knowledge', { query }]);
}

/** The model replies to the candidate's question from the first passage. */
export function fromPassage(text: string): ModelReply {
  return replyWith('question', text, { sources: '1' });
}

export interface SentData {
  readonly searchedFor?: readonly string[];
  readonly passages?: readonly { n: number; document: string; text: string }[];
}

/** The tools and the data of the requests since the first `from`. */
export function requestsSince(
  { model }: TestApp,
  from: number,
): { tools: string[]; data: SentData }[] {
  return model.requests.slice(from).map(({ body }) => ({
    tools: body.tools?.map((tool) => tool.function.name) ?? [],
    data: JSON.parse(body.messages.at(-1)?.content ?? '{}') as SentData,
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
