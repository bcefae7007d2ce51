import { Injectable } from '@nestjs/common';
import { type Candidate, CandidateRepository, WebSessionRepository } from '../candidates';
import { Settings } from '../common/config';
import { DomainEvents } from '../common/events';
import type { Tx } from '../common/uow';
import {
  type Invitation,
  type InvitationMetadata,
  InstanceRepository,
  InvitationRepository,
  type InvitationSecrets,
  VacancyClosedError,
  VacancyRepository,
  candidateLink,
  telegramLink,
} from '../vacancies';

/** Whom to invite: somebody new, of whom this is known, or a candidate who is invited again. */
export type Invited =
  | { readonly candidateId: string }
  | {
      readonly known: {
        readonly name?: string;
        readonly contact?: string;
        readonly telegramUsername?: string;
      };
    };

export interface NewInvitation {
  readonly vacancyId: string;
  readonly invited: Invited;
  /** Made outside of the commit (`withInvitationSecrets`). */
  readonly secrets: InvitationSecrets;
  /** 14 days from now when absent. */
  readonly expiresAt?: Date;
  readonly externalId?: string;
  readonly metadata?: InvitationMetadata;
}

/** The one way in which a person is invited: by the command line, by a program, by a row of a file. */
@Injectable()
export class InvitationIssuer {
  constructor(
    private readonly vacancies: VacancyRepository,
    private readonly candidates: CandidateRepository,
    private readonly invitations: InvitationRepository,
    private readonly sessions: WebSessionRepository,
    private readonly events: DomainEvents,
  ) {}

  /**
   * Null: there is no such candidate. Throws VacancyClosedError, PinTakenError and ExternalIdTakenError. The
   * vacancy stays open until the commit.
   */
  async issue(
    tx: Tx,
    { vacancyId, invited, ...more }: NewInvitation,
  ): Promise<{ candidate: Candidate; invitation: Invitation } | null> {
    if (await this.vacancies.isClosed(tx, vacancyId)) throw new VacancyClosedError();
    const candidate =
      'known' in invited
        ? await this.candidates.create(tx, invited.known)
        : await this.candidates.find(tx, invited.candidateId);
    if (candidate === null) return null;
    const candidateId = candidate.id;
    const invitation = await this.invitations.issue(tx, { vacancyId, candidateId, ...more });
    // Browsers that came in by the replaced link are signed out: they have to open the new one.
    if ('candidateId' in invited) await this.sessions.endOfInvited(tx, { candidateId, vacancyId });
    await this.tellTeam(tx, invitation);
    return { candidate, invitation };
  }

  /** The team's pages show the invitation; an import has no interview and stands for its invitations. */
  async tellTeam(
    tx: Tx,
    { id, vacancyId }: { readonly id: string; readonly vacancyId: string },
  ): Promise<void> {
    const change = { kind: 'invitation', id, interviewId: null, vacancyId } as const;
    await this.events.publish(tx, 'team.changed', change);
  }
}

/** The links that candidates open, as the running application makes them. */
export interface Links {
  webLink(token: string): string;
  /** Null: no bot is known. */
  telegramLink(token: string): string | null;
}

/** The settings of this process win over what the application that runs has stored about itself. */
@Injectable()
export class InvitationLinks {
  constructor(
    private readonly settings: Settings,
    private readonly instances: InstanceRepository,
  ) {}

  async of(tx: Tx): Promise<Links> {
    const { http, telegram } = this.settings;
    const instance = await this.instances.find(tx);
    const publicUrl = http.publicUrl === '' ? (instance?.publicUrl ?? '') : http.publicUrl;
    const botName = telegram.botName === '' ? (instance?.botName ?? '') : telegram.botName;
    return {
      webLink: (token) => candidateLink({ publicUrl, port: http.port }, token),
      telegramLink: (token) => (botName === '' ? null : telegramLink(botName, token)),
    };
  }
}
