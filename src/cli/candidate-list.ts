import { CandidateRepository } from '../candidates';
import { Clock } from '../common/clock';
import type { Tx } from '../common/uow';
import { ConversationRepository, progress, readState } from '../interview';
import { type CallersFields, InvitationRepository, VacancyRepository } from '../vacancies';
import { type CliContext, withCli } from './cli-context';
import { type Result, printableLine, timeText } from './output';

const MOST_LISTED = 1000;

/** Whom a vacancy has: invited, with what the last invitation is known by, or come by its open link. */
interface ListedCandidate extends CallersFields {
  readonly candidateId: string;
  readonly name: string | null;
  /** Null: came by the vacancy's open link. */
  readonly invitedAt: Date | null;
  readonly expiresAt: Date | null;
  /** Null: has not opened the link. */
  readonly conversation: {
    readonly id: string;
    readonly status: string;
    /** The question that the interview is at. */
    readonly question: number;
    readonly of: number;
    /** The numbers of the questions that are through without an answer. */
    readonly unanswered: readonly number[];
  } | null;
}

/** Who was invited to a vacancy or came by its open link, and how far each interview is. */
export function listCandidates({ vacancy: slug }: { readonly vacancy: string }): Promise<Result> {
  return withCli(async (cli) => {
    const candidates = await cli.commit('candidate.list', (tx) => read(cli, tx, slug));
    const now = cli.get(Clock).now();
    const lines = candidates.map((one) => lineOf(one, now));
    return {
      document: { candidates },
      lines: lines.length === 0 ? ['Nobody was invited to this vacancy yet.'] : lines,
    };
  });
}

async function read(cli: CliContext, tx: Tx, slug: string): Promise<ListedCandidate[]> {
  const { id: vacancyId } = await cli.get(VacancyRepository).getBySlug(tx, slug);
  const invited = await cli.get(InvitationRepository).listOfVacancy(tx, vacancyId, MOST_LISTED);
  const repository = cli.get(ConversationRepository);
  const interviews = await repository.listOfVacancy(tx, vacancyId, MOST_LISTED);
  const newest = new Map(interviews.toReversed().map((each) => [each.candidateId, each]));
  const ofInvited = new Map(invited.map((each) => [each.candidateId, each]));
  const listed: ListedCandidate[] = [];
  for (const candidateId of new Set([...ofInvited.keys(), ...newest.keys()])) {
    const interview = newest.get(candidateId);
    const invitation = ofInvited.get(candidateId);
    listed.push({
      candidateId,
      name: (await cli.get(CandidateRepository).find(tx, candidateId))?.name ?? null,
      invitedAt: invitation?.invitedAt ?? null,
      expiresAt: invitation?.expiresAt ?? null,
      externalId: invitation?.externalId ?? null,
      metadata: invitation?.metadata ?? {},
      conversation:
        interview === undefined
          ? null
          : {
              id: interview.id,
              status: interview.status,
              ...progress(interview.plan, readState(interview.state)),
            },
    });
  }
  return listed;
}

function lineOf(
  { candidateId, name, invitedAt, expiresAt, conversation }: ListedCandidate,
  now: Date,
): string {
  const came = invitedAt === null ? 'by the open link' : `invited ${timeText(invitedAt)}`;
  const isOver = expiresAt !== null && expiresAt <= now;
  const parts = [
    candidateId,
    name ?? 'no name yet',
    came,
    conversation === null
      ? `not opened${isOver ? ', expired' : ''}`
      : `${conversation.status}, question ${String(conversation.question)} of ${String(conversation.of)}, conversation …${conversation.id.slice(-8)}`,
  ];
  return parts.map(printableLine).join('  ');
}
