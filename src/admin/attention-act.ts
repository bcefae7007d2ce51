import { ZodResponse } from 'nestjs-zod';
import { HttpCode, applyDecorators } from '@nestjs/common';
import { ApiConflictResponse, ApiNotFoundResponse, ApiOperation } from '@nestjs/swagger';
import { RequireScope } from '../access';
import { Idempotent } from '../common/idempotency';
import { AttentionItemDto } from './attention.dto';

/** An operation that does something with an item and returns it. */
export function Act(summary: string, conflict: string, description?: string): MethodDecorator {
  return applyDecorators(
    Idempotent(),
    HttpCode(200),
    RequireScope('attention:write'),
    ApiOperation({ summary, ...(description === undefined ? {} : { description }) }),
    ZodResponse({ status: 200, type: AttentionItemDto }),
    ApiNotFoundResponse({ description: 'There is no such item' }),
    ApiConflictResponse({ description: conflict }),
  );
}

/** The end of a sentence that says when an operation is refused. */
export const HELD = 'or somebody else has it (`attention_held`)';
