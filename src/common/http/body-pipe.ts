import { createZodValidationPipe } from 'nestjs-zod';
import type { z } from 'zod';
import { InvalidBodyError } from './problem-filter';

const MAX_ISSUES = 20;

/** Bodies and queries are read by their schema; a refusal names fields, never values. */
export const BodyPipe = createZodValidationPipe({
  createValidationException: (error: unknown) => {
    const issues = (error as z.ZodError).issues.slice(0, MAX_ISSUES);
    const fields = issues.map(({ path, message }) => `${path.join('.') || 'body'}: ${message}`);
    return new InvalidBodyError(fields.join('; '));
  },
});
