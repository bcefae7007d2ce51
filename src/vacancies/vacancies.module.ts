import { Module } from '@nestjs/common';
import { ExampleVacancies } from './example-vacancies';
import { InstanceRepository } from './instance.repository';
import { InvitationRepository } from './invitation.repository';
import { PinHasher } from './invitation-secrets';
import { VacancyRepository } from './vacancy.repository';

const PROVIDERS = [
  VacancyRepository,
  InvitationRepository,
  InstanceRepository,
  PinHasher,
  ExampleVacancies,
];

/** Expects a global Clock and UnitOfWorkFactory. */
@Module({ providers: PROVIDERS, exports: PROVIDERS })
export class VacanciesModule {}
