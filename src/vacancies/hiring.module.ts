import { Module } from '@nestjs/common';
import { ExampleVacancies } from './example-vacancies';
import { InvitationRepository } from './invitations';
import { PinHasher } from './pin-keys';
import { VacancyRepository } from './vacancies';

const PROVIDERS = [VacancyRepository, InvitationRepository, PinHasher, ExampleVacancies];

/** Expects a global Clock and UnitOfWorkFactory. */
@Module({ providers: PROVIDERS, exports: PROVIDERS })
export class VacanciesModule {}
