/**
 * Inside `uow.commit(label, work)` and `uow.commitOne(label, work)` the work must not catch errors:
 * PostgreSQL turns the COMMIT of a failed transaction into a ROLLBACK without an error, so a swallowed
 * error loses writes.
 */
export const noTryInCommit = {
  meta: {
    type: 'problem',
    schema: [],
    messages: {
      try: 'No try inside a commit: a swallowed error turns COMMIT into a silent ROLLBACK.',
      catch: 'No .catch inside a commit: a swallowed error turns COMMIT into a silent ROLLBACK.',
      nested: 'No commit and no unit of work inside a commit: it would hold a second connection.',
    },
  },
  create(context) {
    const works = [];
    const isInside = (node) => works.some((work) => contains(work, node));
    return {
      'CallExpression[callee.property.name=/^commit(One)?$/]'(node) {
        const work = node.arguments[1];
        if (isInside(node)) context.report({ node, messageId: 'nested' });
        if (work !== undefined && isFunction(work)) works.push(work);
      },
      'CallExpression[callee.property.name=/^(open|run)$/]'(node) {
        const owner = context.sourceCode.getText(node.callee.object);
        if (/units$/i.test(owner) && isInside(node)) context.report({ node, messageId: 'nested' });
      },
      TryStatement(node) {
        if (isInside(node)) context.report({ node, messageId: 'try' });
      },
      'CallExpression[callee.property.name="catch"]'(node) {
        if (isInside(node)) context.report({ node, messageId: 'catch' });
      },
    };
  },
};

function isFunction(node) {
  return node.type === 'ArrowFunctionExpression' || node.type === 'FunctionExpression';
}

function contains(outer, inner) {
  return outer.range[0] <= inner.range[0] && inner.range[1] <= outer.range[1];
}
