import { type Candidate, CandidateRepository, WebSessionRepository } from '../candidates';
import {
  InstanceRepository,
  InvitationRepository,
  type InvitationSecrets,
  PinHasher,
  type Vacancy,
  VacancyRepository,
  shownPin,
  withInvitationSecrets,
  candidateLink,
  telegramLink,
} from '../vacancies';
import { type CliContext, withCli } from './cli-context';
import { NotFoundError, RefusedInputError, UsageError } from './failures';
import { candidateOf, expiryOf, textOf } from './option-values';
import { type Result, printableLine, timeText } from './output';
import { Clock } from '../common/clock';
import { COMMAND } from '../common/command-name';
import type { Tx } from '../common/uow';

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
    return withInvitationSecrets(cli.get(PinHasher), async (secrets) =>
      resultOf(secrets, await issue(cli, request, { secrets, expiresAt })),
    );
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
  readonly expiresAt: Date;
  readonly links: Links;
}

function issue(
  cli: CliContext,
  { slug, candidateId, known }: Request,
  { secrets, expiresAt }: { secrets: InvitationSecrets; expiresAt: Date | null },
): Promise<IssuedInvitation> {
  return cli.commit('invitation.issue', async (tx) => {
    const vacancy = await cli.get(VacancyRepository).getBySlug(tx, slug);
    if (await cli.get(VacancyRepository).isClosed(tx, vacancy.id)) {
      throw new RefusedInputError(
        `The vacancy "${slug}" is closed. Open it again first: ${COMMAND} vacancy reopen ${slug}`,
      );
    }
    const candidate =
      candidateId === null
        ? await cli.get(CandidateRepository).create(tx, known)
        : await cli.get(CandidateRepository).find(tx, candidateId);
    if (candidate === null) throw new NotFoundError('There is no candidate with this id.');
    const invitation = await cli.get(InvitationRepository).issue(tx, {
      vacancyId: vacancy.id,
      candidateId: candidate.id,
      secrets,
      ...(expiresAt === null ? {} : { expiresAt }),
    });
    // Browsers that came in by the replaced link are signed out: they have to open the new one.
    await cli
      .get(WebSessionRepository)
      .endOfInvited(tx, { candidateId: candidate.id, vacancyId: vacancy.id });
    const links = await linksOf(cli, tx);
    return { vacancy, candidate, expiresAt: invitation.expiresAt, links };
  });
}

function resultOf({ token, pin }: InvitationSecrets, issued: IssuedInvitation): Result {
  const { vacancy, candidate, expiresAt, links } = issued;
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

/** The links that candidates open, as the running application makes them. */
export interface Links {
  webLink(token: string): string;
  /** Null: no bot is known. */
  telegramLink(token: string): string | null;
}

/** The settings of this command win over what the application that runs has stored about itself. */
export async function linksOf(cli: CliContext, tx: Tx): Promise<Links> {
  const { http, telegram } = cli.settings;
  const instance = await cli.get(InstanceRepository).find(tx);
  const publicUrl = http.publicUrl === '' ? (instance?.publicUrl ?? '') : http.publicUrl;
  const botName = telegram.botName === '' ? (instance?.botName ?? '') : telegram.botName;
  return {
    webLink: (token) => candidateLink({ publicUrl, port: http.port }, token),
    telegramLink: (token) => (botName === '' ? null : telegramLink(botName, token)),
  };
}
