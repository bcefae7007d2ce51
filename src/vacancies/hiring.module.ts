import { Module } from '@nestjs/common';
import { ExampleVacancies } from './example-vacancies';
import { Invitations } from './invitations';
import { PinKeys } from './pin-keys';
import { Vacancies } from './vacancies';

const PROVIDERS = [Vacancies, Invitations, PinKeys, ExampleVacancies];

/** Expects a global Clock and UnitsOfWork. */
@Module({ providers: PROVIDERS, exports: PROVIDERS })
export class HiringModule {}
