if (process.env['CI'] === 'true') jest.retryTimes(2, { logErrorsBeforeRetry: true });
