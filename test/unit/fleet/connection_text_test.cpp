#include <gtest/gtest.h>

#include "core/fleet/connection_text.hpp"

namespace snowid::core {
namespace {

TEST(ConnectionText, FindsPasswords) {
    for (const char *text :
         {"password=x", "host=a password=x", "host=a\tpassword = x", "sslpassword=x", "host='a'password=x",
          "postgresql://u:x@h/d", "postgres://u:@h", "postgresql://h/d?user=u&password=x", "postgresql:///d?password=x",
          "postgresql://u:x@h1:1,h2:2/d"})
        EXPECT_TRUE(has_password(text)) << text;
}

TEST(ConnectionText, FindsNoneInOtherTexts) {
    for (const char *text : {"", "host=n1,n2 dbname=fleet user=snowid passfile=/etc/snowid.pgpass", "passfile=password",
                             "user=password dbname=d", "postgresql://u@h:5432/d", "postgresql://h1:1,h2:2/d?user=u",
                             "dbname=my_password host=a", "postgresql:///d?passfile=a:b@c"})
        EXPECT_FALSE(has_password(text)) << text;
}

}  // namespace
}  // namespace snowid::core
