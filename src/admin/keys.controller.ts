import { ZodResponse, ZodSerializerInterceptor } from 'nestjs-zod';
import { Body, Controller, Get, HttpCode, Param, Post, UseInterceptors } from '@nestjs/common';
import {
  ApiConflictResponse,
  ApiForbiddenResponse,
  ApiNotFoundResponse,
  ApiOperation,
  ApiTags,
} from '@nestjs/swagger';
import { ApiProblems, ProblemError } from '../common/http';
import { Idempotent, IdempotentCall, type ResponseKeeper } from '../common/idempotency';
import { RequestUnit, type Tx, UnitOfWork } from '../common/uow';
import {
  type ApiKey,
  ApiKeys,
  CurrentPrincipal,
  KeyUnknownError,
  type Principal,
  RequireConfirmation,
  RequireScope,
  isWithin,
} from '../access';
import { AuditRepository } from '../privacy';
import { slugsOf } from '../vacancies';
import { VacancySlugs } from './vacancy-slugs';
import { KeyListDto, NewKeyDto, KeyCreateDto, KeyDto } from './keys.dto';

/** The admin API of keys. A key manages only keys that have no more rights than itself. */
@ApiTags('Keys and audit')
@ApiProblems()
@Controller('api/v1/keys')
@UseInterceptors(ZodSerializerInterceptor)
export class KeysController {
  constructor(
    private readonly keys: ApiKeys,
    private readonly slugs: VacancySlugs,
    private readonly audit: AuditRepository,
  ) {}

  @Get()
  @RequireScope('keys:write')
  @ApiOperation({ summary: 'The keys, the newest first, without their tokens' })
  @ZodResponse({ status: 200, type: KeyListDto })
  async list(@CurrentPrincipal() principal: Principal, @RequestUnit() uow: UnitOfWork) {
    return uow.commit('key.list', async (tx) => {
      const keys = await this.keys.list(tx);
      const slugs = await this.slugs.byId(tx);
      const managed = keys.filter((one) => isWithin(one, principal));
      return { keys: managed.map((one) => shown(one, slugs)) };
    });
  }

  @Post()
  @HttpCode(201)
  @RequireScope('keys:write')
  @RequireConfirmation()
  @Idempotent()
  @ApiOperation({ summary: 'Make a key; its token is shown only now' })
  @ZodResponse({ status: 201, type: NewKeyDto })
  @ApiConflictResponse({ description: 'A key has or had this name' })
  @ApiForbiddenResponse({
    description: 'It would have more rights than the key of the request, or outlive it',
  })
  async create(
    @CurrentPrincipal() principal: Principal,
    @RequestUnit() uow: UnitOfWork,
    @Body() { name, scopes, vacancies, expiresAt }: KeyCreateDto,
    @IdempotentCall() call: ResponseKeeper,
  ) {
    return uow.commit('key.create', async (tx) => {
      const vacancyIds =
        vacancies === undefined ? null : await this.slugs.idsOf(tx, principal, vacancies);
      const rights = { scopes: [...new Set(scopes)], vacancyIds };
      if (!isWithin(rights, principal)) {
        throw new ProblemError(403, 'beyond_key', 'A key gives no more rights than it has.');
      }
      const { key, token } = await this.keys.create(tx, {
        ...rights,
        name,
        expiresAt: await this.endOf(tx, principal, expiresAt),
        createdBy: principal.actor,
      });
      const audited = { actor: principal.actor, action: 'key.create', subjectId: key.id } as const;
      await this.audit.note(tx, audited);
      const response = { ...shown(key, await this.slugs.byId(tx)), token };
      await call.keep(tx, response);
      return response;
    });
  }

  @Post(':id/revoke')
  @HttpCode(200)
  @RequireScope('keys:write')
  @RequireConfirmation()
  @Idempotent()
  @ApiOperation({ summary: 'End a key at once, with its open streams' })
  @ZodResponse({ status: 200, type: KeyDto })
  @ApiNotFoundResponse({ description: 'There is no such key' })
  async revoke(
    @Param('id') id: string,
    @CurrentPrincipal() principal: Principal,
    @RequestUnit() uow: UnitOfWork,
  ) {
    return uow.commit('key.revoke', async (tx) => {
      const found = await this.keys.get(tx, id);
      if (!isWithin(found, principal)) throw new KeyUnknownError('There is no such key.');
      const { key, hasChanged } = await this.keys.revoke(tx, found);
      const audited = { actor: principal.actor, action: 'key.revoke', subjectId: key.id } as const;
      if (hasChanged) await this.audit.note(tx, audited);
      return shown(key, await this.slugs.byId(tx));
    });
  }

  /** Null: in a year. Throws ProblemError for an end after that of the key which makes it. */
  private async endOf(
    tx: Tx,
    { keyId }: Principal,
    expiresAt: string | undefined,
  ): Promise<Date | null> {
    const wanted = expiresAt === undefined ? null : new Date(expiresAt);
    if (keyId === null) return wanted;
    const own = (await this.keys.get(tx, keyId)).expiresAt;
    if (wanted === null || wanted.getTime() <= own.getTime()) return wanted ?? own;
    throw new ProblemError(403, 'beyond_key', 'A key makes none that ends after it.');
  }
}

function shown(key: ApiKey, slugs: ReadonlyMap<string, string>) {
  const { vacancyIds, createdAt, expiresAt, usedAt, revokedAt, ...others } = key;
  return {
    ...others,
    scopes: [...key.scopes],
    vacancies: slugsOf(vacancyIds, slugs),
    createdAt: createdAt.toISOString(),
    expiresAt: expiresAt.toISOString(),
    usedAt: usedAt?.toISOString() ?? null,
    revokedAt: revokedAt?.toISOString() ?? null,
  };
}
