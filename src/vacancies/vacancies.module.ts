import { Module } from '@nestjs/common';
import { ExampleVacancies } from './example-vacancies';
import { InstanceRepository } from './instance.repository';
import { OpenLinkLimits } from './open-link-limits';
import { OpenLinkUseRepository } from './open-link-use.repository';
import { InvitationRepository } from './invitation.repository';
import { PinHasher } from './invitation-secrets';
import { VacancyRepository } from './vacancy.repository';
import { VacancyVersionRepository } from './vacancy-version.repository';

const PROVIDERS = [
  VacancyRepository,
  VacancyVersionRepository,
  InvitationRepository,
  InstanceRepository,
  PinHasher,
  ExampleVacancies,
];

/** Expects a global Clock and UnitOfWorkFactory. */
@Module({ providers: PROVIDERS, exports: PROVIDERS })
export class VacanciesModule {}

/** Caps of open links. Expects a global DomainEvents and Metrics too. */
@Module({ providers: [OpenLinkLimits, OpenLinkUseRepository], exports: [OpenLinkLimits] })
export class OpenLinksModule {}
