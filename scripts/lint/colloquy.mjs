/** The project's own rules. */
import { noTryInCommit } from './no-try-in-commit.mjs';

/** Creates a rule that forbids every node that `selector` matches. */
function forbid(selector, message) {
  return {
    meta: { type: 'problem', schema: [], messages: { forbidden: message } },
    create: (context) => ({
      [selector]: (node) => context.report({ node, messageId: 'forbidden' }),
    }),
  };
}

export default {
  meta: { name: 'colloquy' },
  rules: {
    'no-try-in-commit': noTryInCommit,
    'no-own-clock': forbid(
      "NewExpression[callee.name='Date'][arguments.length=0]",
      'Use a Clock instead of new Date().',
    ),
    'no-abort-timeout': forbid(
      "CallExpression[callee.object.name='AbortSignal'][callee.property.name='timeout']",
      'Use withTimeLimit or Clock.sleep: a fake clock moves them.',
    ),
    'no-exit': forbid(
      "CallExpression[callee.object.name='process'][callee.property.name='exit']",
      'Only the shutdown path ends the process.',
    ),
  },
};
