import { createZodValidationPipe } from 'nestjs-zod';
import { ZodError } from 'zod';
import { InvalidBodyError } from '../common/http';

/** Refuses a body or a query that does not match its schema, and names the fields. */
export const AdminBodyPipe = createZodValidationPipe({
  createValidationException: (error) => new InvalidBodyError(fieldsOf(error)),
});

function fieldsOf(error: unknown): string {
  if (!(error instanceof ZodError)) return 'The body does not have the expected form.';
  return error.issues
    .map(({ path, message }) => `${path.map(String).join('.')}: ${message}`)
    .join('; ');
}
