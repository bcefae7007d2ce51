import type { Candidate } from '../candidates';
import { InvitationIssuer, InvitationLinks, type Links } from '../invitations';
import {
  type Invitation,
  type InvitationSecrets,
  PinHasher,
  type Vacancy,
  VacancyClosedError,
  VacancyRepository,
  shownPin,
  withInvitationSecrets,
} from '../vacancies';
import { type CliContext, withCli } from './cli-context';
import { NotFoundError, RefusedInputError, UsageError } from './failures';
import { candidateOf, expiryOf, textOf } from './option-values';
import { type Result, printableLine, timeText } from './output';
import { Clock } from '../common/clock';
import { COMMAND } from '../common/command-name';

export interface InviteOptions {
  readonly name?: string;
  readonly telegram?: string;
  readonly expires?: string;
  readonly candidate?: string;
}

interface Request {
  readonly slug: string;
  /** Whom to invite again; null: a new candidate, of whom `known` is known. */
  readonly candidateId: string | null;
  readonly known: { name?: string; telegramUsername?: string };
  readonly expires: string | null;
}

const TELEGRAM_USER = /^@?([a-z][a-z0-9_]{3,31})$/i;
const MAX_NAME = 120;
const NO_BOT = "none: no bot is running; set TELEGRAM_BOT_NAME to your bot's name";

/** Makes a personal invitation. Its links and its PIN are shown only once. */
export async function invite(vacancy: string, options: InviteOptions): Promise<Result> {
  const request = requestOf({ ...options, vacancy });
  return withCli(async (cli) => {
    const { expires } = request;
    const expiresAt = expires === null ? null : expiryOf(expires, cli.get(Clock).now());
    try {
      return await withInvitationSecrets(cli.get(PinHasher), async (secrets) =>
        resultOf(secrets, await issue(cli, request, { secrets, expiresAt })),
      );
    } catch (error) {
      if (!(error instanceof VacancyClosedError)) throw error;
      throw new RefusedInputError(
        `The vacancy "${vacancy}" is closed. Open it again first: ${COMMAND} vacancy reopen ${vacancy}`,
      );
    }
  });
}

function requestOf({
  vacancy,
  name,
  telegram,
  expires,
  candidate,
}: InviteOptions & { readonly vacancy: string }): Request {
  if (candidate !== undefined && (name !== undefined || telegram !== undefined)) {
    throw new UsageError('--candidate names a known candidate: leave out --name and --telegram.');
  }
  return {
    slug: vacancy,
    candidateId: candidate === undefined ? null : candidateOf(candidate),
    known: {
      ...(name === undefined ? {} : { name: textOf('--name', name, MAX_NAME) }),
      ...(telegram === undefined ? {} : { telegramUsername: telegramOf(telegram) }),
    },
    expires: expires ?? null,
  };
}

function telegramOf(text: string): string {
  const user = TELEGRAM_USER.exec(text)?.[1];
  if (user !== undefined) return user.toLowerCase();
  throw new UsageError(`--telegram ${text}: expected a Telegram user name like @anna_k`);
}

interface IssuedInvitation {
  readonly vacancy: Vacancy;
  readonly candidate: Candidate;
  readonly invitation: Invitation;
  readonly links: Links;
}

function issue(
  cli: CliContext,
  { slug, candidateId, known }: Request,
  { secrets, expiresAt }: { secrets: InvitationSecrets; expiresAt: Date | null },
): Promise<IssuedInvitation> {
  return cli.commit('invitation.issue', async (tx) => {
    const vacancy = await cli.get(VacancyRepository).getBySlug(tx, slug);
    const issued = await cli.get(InvitationIssuer).issue(tx, {
      vacancyId: vacancy.id,
      invited: candidateId === null ? { known } : { candidateId },
      secrets,
      ...(expiresAt === null ? {} : { expiresAt }),
    });
    if (issued === null) throw new NotFoundError('There is no candidate with this id.');
    const links = await cli.get(InvitationLinks).of(tx);
    return { vacancy, links, ...issued };
  });
}

function resultOf({ token, pin }: InvitationSecrets, issued: IssuedInvitation): Result {
  const { vacancy, candidate, links } = issued;
  const { expiresAt, externalId, metadata } = issued.invitation;
  const { slug, title, company } = vacancy;
  const webLink = links.webLink(token);
  const telegramLink = links.telegramLink(token);
  const name = candidate.name ?? candidate.telegramUsername ?? 'a candidate';
  return {
    document: {
      vacancy: { slug, title, company },
      candidate: { id: candidate.id, name: candidate.name },
      webLink,
      telegramLink,
      pin: shownPin(pin),
      validUntil: expiresAt,
      externalId,
      metadata,
    },
    lines: [
      `Invitation of ${printableLine(name)}: ${printableLine(`${title}, ${company}`)}`,
      `  Web link       ${webLink}`,
      `  Telegram link  ${telegramLink ?? NO_BOT}`,
      `  PIN            ${shownPin(pin)}`,
      `  Valid until    ${timeText(expiresAt)}`,
      'The links and the PIN are shown only now. To replace them:',
      `  ${COMMAND} invite ${slug} --candidate ${candidate.id}`,
    ],
  };
}
