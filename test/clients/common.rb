# What the programs in Ruby share.
require 'time'

KIND = ENV.fetch('KIND') # bigint, snowflake, uuid, ulid, sno
SCHEME = ENV.fetch('SCHEME') # the prefix of its functions: snowflake, snowflake, uuidv7, ulid
SINCE = Time.iso8601('2025-06-15T03:00:00.250Z').localtime
UNTIL = Time.iso8601('2025-06-15T06:00:00.250Z').localtime

def say(what, *values)
  puts "#{what}\t#{values.join(' ')}"
end

# Prints pages as lists of ids, newest first: the first one, and those that the block makes from the last id of one.
def say_pages(ids)
  until ids.empty?
    say 'page', *ids
    ids = yield ids.last
  end
end
