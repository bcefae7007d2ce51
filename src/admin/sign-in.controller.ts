import { Controller, Get, UseInterceptors } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { createZodDto, ZodResponse, ZodSerializerInterceptor } from 'nestjs-zod';
import { z } from 'zod';
import { Passwords } from '../access';
import { Settings } from '../common/config';
import { ApiProblems } from '../common/http';
import { RequestUnit, UnitOfWork } from '../common/uow';
import { VacancyRepository } from '../vacancies';

export class SignInWaysDto extends createZodDto(
  z.object({
    password: z.boolean().describe('Whether people sign in with address and password'),
    oidc: z
      .object({ name: z.string() })
      .nullable()
      .describe('Single sign-on, by the name that its button has; null: there is none'),
    company: z.string().nullable().describe('Whose vacancies these are; null: of several, or none'),
  }),
) {}

/** What the page of the sign-in offers. */
@ApiTags('People')
@ApiProblems()
@Controller('api/v1/team/sign-in')
@UseInterceptors(ZodSerializerInterceptor)
export class SignInController {
  constructor(
    private readonly vacancies: VacancyRepository,
    private readonly passwords: Passwords,
    private readonly settings: Settings,
  ) {}

  @Get()
  @ApiOperation({ summary: 'How people of the team can sign in' })
  @ZodResponse({ status: 200, type: SignInWaysDto })
  async ways(@RequestUnit() uow: UnitOfWork) {
    const company = await uow.commitOne('user.sign_in_ways', (tx) =>
      this.vacancies.onlyCompany(tx),
    );
    const { oidc } = this.settings;
    return {
      password: this.passwords.areOn,
      oidc: oidc === null ? null : { name: oidc.name },
      company,
    };
  }
}
