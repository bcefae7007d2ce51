import { CandidateRepository } from '../candidates';
import { isUuid } from '../common/ids';
import type { Tx } from '../common/uow';
import { ConversationRepository } from '../interview';
import { VacancyRepository } from '../vacancies';
import type { CliContext } from './cli-context';
import { NotFoundError, UsageError } from './failures';
import { printableLine } from './output';

/** The id whose end this is. Throws NotFoundError, and UsageError that lists the conversations it may mean. */
export async function conversationIdOf(cli: CliContext, tx: Tx, text: string): Promise<string> {
  if (isUuid(text)) return text;
  const end = text.toLowerCase();
  const ids = await cli.get(ConversationRepository).listIdsEndingWith(tx, end, MOST_NAMED + 1);
  const [only, ...others] = ids;
  if (only === undefined) {
    throw new NotFoundError(`There is no conversation whose id ends with ${end}.`);
  }
  if (others.length === 0) return only;
  const named: string[] = [];
  for (const id of ids.slice(0, MOST_NAMED))
    named.push(`\n  ${id}  ${await whoAndWhat(cli, tx, id)}`);
  const more = ids.length > MOST_NAMED ? '\n  …' : '';
  throw new UsageError(
    `More than one conversation ends with ${end}; give more of its last characters:${named.join('')}${more}`,
  );
}

/** Conversations that an error names. */
const MOST_NAMED = 5;

/** The person and the vacancy of a conversation, on one line. */
export async function whoAndWhat(cli: CliContext, tx: Tx, conversationId: string): Promise<string> {
  const { name, vacancy } = await peopleOf(cli, tx, conversationId);
  return printableLine(`${name ?? 'no name yet'}, ${vacancy ?? 'unknown vacancy'}`);
}

export async function peopleOf(
  cli: CliContext,
  tx: Tx,
  conversationId: string,
): Promise<{ readonly name: string | null; readonly vacancy: string | null }> {
  const row = await cli.get(ConversationRepository).find(tx, conversationId);
  if (row === undefined) return { name: null, vacancy: null };
  const candidate = await cli.get(CandidateRepository).find(tx, row.candidateId);
  const vacancy = await cli.get(VacancyRepository).find(tx, row.vacancyId);
  return { name: candidate?.name ?? null, vacancy: vacancy?.title ?? null };
}

/** The beginning of an id is its time, so interviews of one day share it; only the end tells them apart. */
const ID_END = /^[0-9a-f-]{0,32}[0-9a-f]{4}$/i;

/** Whether a conversation may be named so: by its id, or by the last four or more characters of it. */
export function isConversationName(text: string): boolean {
  return ID_END.test(text) || isUuid(text);
}
