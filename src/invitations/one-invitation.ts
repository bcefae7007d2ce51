import { Injectable } from '@nestjs/common';
import { WebSessionRepository } from '../candidates';
import { ColloquyError } from '../common/errors';
import type { Tx, UnitOfWork } from '../common/uow';
import {
  InvitationRepository,
  type InvitationSecrets,
  PinHasher,
  VacancyRepository,
  VacancyUnknownError,
  shownPin,
  withInvitationSecrets,
} from '../vacancies';
import { endOf } from './file/dates';
import { readInvitationFile } from './file/invitation-file';
import { type RowProblem, rowSentence } from './file/problems';
import type { GivenInvitation } from './file/row-check';
import { type Reached, isReached } from './invitation-imports';
import { InvitationIssuer, InvitationLinks, type NewInvitation } from './invitation-issuing';
import {
  type InvitationFilter,
  InvitationListRepository,
  type ListedInvitation,
} from './invitation-list.repository';

/** Invitations one by one: made with their links, listed, issued again and revoked. */
@Injectable()
export class OneInvitation {
  constructor(
    private readonly listed: InvitationListRepository,
    private readonly invitations: InvitationRepository,
    private readonly vacancies: VacancyRepository,
    private readonly issuer: InvitationIssuer,
    private readonly links: InvitationLinks,
    private readonly pinKeys: PinHasher,
    private readonly sessions: WebSessionRepository,
  ) {}

  /** Throws VacancyUnknownError, VacancyClosedError, ExternalIdTakenError. */
  create<T>(
    uow: UnitOfWork,
    of: { readonly slug: string; readonly given: CheckedInvitation; readonly vacancyIds: Reached },
    then: Then<T>,
  ): Promise<T> {
    const { externalId, given } = of.given;
    const { name, contact, telegramUsername, expiresAt, metadata } = given;
    return withInvitationSecrets(this.pinKeys, (secrets) =>
      uow.commit('invitation.issue', async (tx) => {
        const vacancyId = await this.vacancyId(tx, of.slug, of.vacancyIds);
        const known = {
          ...(name === undefined ? {} : { name }),
          ...(contact === undefined ? {} : { contact }),
          ...(telegramUsername === undefined ? {} : { telegramUsername }),
        };
        return then(
          tx,
          await this.issue(tx, {
            ...{ vacancyId, invited: { known }, secrets, metadata },
            ...(externalId === null ? {} : { externalId }),
            ...(expiresAt === undefined ? {} : { expiresAt: new Date(expiresAt) }),
          }),
        );
      }),
    );
  }

  /** Throws InvitationUnknownError, InvitationReplacedError, VacancyClosedError. */
  reissue<T>(
    uow: UnitOfWork,
    of: {
      readonly id: string;
      readonly vacancyIds: Reached;
      /** 14 days without it. */
      readonly expiresAt: Date | undefined;
    },
    then: Then<T>,
  ): Promise<T> {
    return withInvitationSecrets(this.pinKeys, (secrets) =>
      uow.commit('invitation.issue', async (tx) => {
        const { vacancyId, candidateId } = await this.get(tx, of.id, of.vacancyIds);
        // Of two at once one takes its place.
        await this.invitations.lock(tx, of.id);
        const { isLast } = await this.get(tx, of.id, of.vacancyIds);
        if (!isLast) throw new InvitationReplacedError();
        const expires = of.expiresAt === undefined ? {} : { expiresAt: of.expiresAt };
        const invited = { candidateId };
        return then(tx, await this.issue(tx, { vacancyId, invited, secrets, ...expires }));
      }),
    );
  }

  /** The last invitation of an interview's candidate; undefined: the interview came by an open link. */
  ofInterview(tx: Tx, interviewId: string): Promise<ListedInvitation | undefined> {
    return this.listed.findOfInterview(tx, interviewId);
  }

  /**
   * Takes back that the invitation of an interview was issued again: its links and its PIN end, and those before work
   * again. Browsers that were signed out stay so. False: nobody issued it again in the last minutes, or somebody has
   * used the new link.
   */
  async restore(tx: Tx, interviewId: string): Promise<boolean> {
    const last = await this.listed.findOfInterview(tx, interviewId);
    // Issuing again has ended every session, so one that is there has come by the new link.
    if (last === undefined || (await this.sessions.exists(tx, interviewId))) return false;
    const { id, candidateId, vacancyId } = last;
    const of = { candidateId, vacancyId, withinMs: RESTORED_WITHIN_MS };
    const isRestored = await this.invitations.restore(tx, of);
    if (isRestored) await this.issuer.tellTeam(tx, { id, vacancyId });
    return isRestored;
  }

  /** It is revoked after the commit, also if it was before. Throws InvitationUnknownError. */
  async revoke(tx: Tx, id: string, vacancyIds: Reached): Promise<ListedInvitation> {
    const { candidateId, vacancyId } = await this.get(tx, id, vacancyIds);
    if (await this.invitations.revoke(tx, id)) {
      await this.sessions.endOfInvited(tx, { candidateId, vacancyId });
      await this.issuer.tellTeam(tx, { id, vacancyId });
    }
    return this.get(tx, id, vacancyIds);
  }

  /** Throws InvitationUnknownError, also for an invitation to a vacancy that is not reached. */
  async get(tx: Tx, id: string, vacancyIds: Reached): Promise<ListedInvitation> {
    const found = await this.listed.find(tx, id);
    if (found === undefined || !isReached(vacancyIds, found.vacancyId)) {
      throw new InvitationUnknownError();
    }
    return found;
  }

  /** A vacancy that is unknown or not reached has no invitations. */
  async list(
    tx: Tx,
    { vacancyIds, slug, ...filter }: InvitationFilter & { readonly slug?: string | undefined },
    page: { readonly before?: string | undefined; readonly limit: number },
  ): Promise<ListedInvitation[]> {
    if (slug === undefined) return this.listed.list(tx, { vacancyIds, ...filter }, page);
    const vacancy = await this.vacancies.findBySlug(tx, slug);
    if (vacancy === null || !isReached(vacancyIds, vacancy.id)) return [];
    return this.listed.list(tx, { vacancyIds: [vacancy.id], ...filter }, page);
  }

  private async vacancyId(tx: Tx, slug: string, vacancyIds: Reached): Promise<string> {
    const vacancy = await this.vacancies.findBySlug(tx, slug);
    if (vacancy !== null && isReached(vacancyIds, vacancy.id)) return vacancy.id;
    throw new VacancyUnknownError('There is no such vacancy.');
  }

  private async issue(
    tx: Tx,
    wanted: NewInvitation & { readonly secrets: InvitationSecrets },
  ): Promise<OwnInvitation> {
    const issued = await this.issuer.issue(tx, wanted);
    if (issued === null) throw new InvitationUnknownError();
    const listed = await this.get(tx, issued.invitation.id, null);
    const links = await this.links.of(tx);
    const { token, pin } = wanted.secrets;
    const link = {
      web: links.webLink(token),
      telegram: links.telegramLink(token),
      pin: shownPin(pin),
    };
    return { ...listed, link };
  }
}

const RESTORED_WITHIN_MS = 10 * 60_000;

/** An invitation with its links and its PIN, which are known only when it is made. */
export interface OwnInvitation extends ListedInvitation {
  readonly link: { readonly web: string; readonly telegram: string | null; readonly pin: string };
}

/** Works in the commit that stores the invitation. */
type Then<T> = (tx: Tx, made: OwnInvitation) => Promise<T>;

interface CheckedInvitation {
  readonly externalId: string | null;
  readonly given: GivenInvitation;
}

/** Checks what is said about one person as a row of a file is checked. Throws InvitationRefusedError. */
export async function readInvitation(fields: object, now: Date): Promise<CheckedInvitation> {
  const bytes = Buffer.from(JSON.stringify([fields]));
  const [row] = (await readInvitationFile(bytes, 'json', now)).rows;
  if (row === undefined || row.given === null) {
    throw new InvitationRefusedError(row?.problems ?? []);
  }
  return { externalId: row.externalId, given: row.given };
}

/** The end of an invitation as a row of a file says it. Throws InvitationRefusedError. */
export function readEnd(text: string, now: Date): Date {
  const end = endOf(text.trim(), now);
  if (end instanceof Date) return end;
  throw new InvitationRefusedError([{ code: end, column: 'validUntil' }]);
}

/** There is no such invitation, or it is of a vacancy that is not reached. */
class InvitationUnknownError extends ColloquyError {
  readonly code = 'invitation_unknown';
  readonly retryable = false;

  constructor() {
    super('There is no such invitation.');
  }
}

/** A later invitation has taken its place. */
class InvitationReplacedError extends ColloquyError {
  readonly code = 'invitation_revoked';
  readonly retryable = false;

  constructor() {
    super('This invitation was issued again; the later one has taken its place.');
  }
}

/** What is said about a person cannot be stored; the message says why, in English. */
export class InvitationRefusedError extends ColloquyError {
  readonly code = 'invitation_refused';
  readonly retryable = false;

  constructor(private readonly problems: readonly RowProblem[]) {
    super(inWords(problems, 'en'));
  }

  /** For a person. */
  sentence(language: 'en' | 'ru'): string {
    return inWords(this.problems, language);
  }
}

function inWords(problems: readonly RowProblem[], language: 'en' | 'ru'): string {
  return problems.map((problem) => rowSentence(problem)[language]).join(' ');
}
