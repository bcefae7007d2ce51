import type { ArgumentMetadata } from '@nestjs/common';
import { createZodValidationPipe } from 'nestjs-zod';
import type { z } from 'zod';
import { InvalidBodyError } from './problem-filter';
import { UnreadBody } from './unread-body';

const MAX_ISSUES = 20;

const SchemaPipe = createZodValidationPipe({
  createValidationException: (error: unknown) => {
    const issues = (error as z.ZodError).issues.slice(0, MAX_ISSUES);
    const fields = issues.map(({ path, message }) => `${path.join('.') || 'body'}: ${message}`);
    return new InvalidBodyError(fields.join('; '));
  },
});

/**
 * Reads the body, which is the first thing that happens to it after the guards. Bodies and queries
 * are checked by their schema; a refusal names fields, never values.
 */
export class BodyPipe extends SchemaPipe {
  override async transform(value: unknown, metadata: ArgumentMetadata): Promise<unknown> {
    const given = value instanceof UnreadBody ? await value.read() : value;
    return super.transform(given, metadata) as unknown;
  }
}
