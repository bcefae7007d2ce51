import { Module } from '@nestjs/common';
import { ExampleVacancies } from './example-vacancies';
import { Invitations } from './invitations';
import { Vacancies } from './vacancies';

const PROVIDERS = [Vacancies, Invitations, ExampleVacancies];

/** Expects a global Clock. */
@Module({ providers: PROVIDERS, exports: PROVIDERS })
export class HiringModule {}
